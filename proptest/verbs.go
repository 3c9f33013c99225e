package proptest

import (
	"fmt"
	"slices"
	"time"
)

// A verb is what an action can do.
type verb struct {
	on, fault, dur bool // what words follow it
	trouble        bool // it cuts somebody short
	do             func(w *World, a Action) error
}

var verbs map[string]verb

var faultKinds = map[string]bool{"fail": true, "unheard": true, "replay": true, "late": true, "hold": true, "stop": true, "kill": true}

func init() {
	verbs = map[string]verb{
		// Time.
		"run":  {dur: true, do: (*World).doRun},                                                              // calls go on by themselves
		"pass": {trouble: true, dur: true, do: func(w *World, a Action) error { w.pass(a.For); return nil }}, // nothing is answered
		"step": {trouble: true, on: true, do: (*World).doStep},                                               // one call of a process goes on
		"let":  {on: true, do: onProc(func(w *World, p *Proc, _ Action) error { w.let(p); return nil })},     // its held calls go on
		"land": {do: func(w *World, _ Action) error { w.gather(); w.land(); return nil }},                    // what was answered early has its effect

		// Processes.
		"start":   {on: true, do: (*World).doStart},
		"kill":    {trouble: true, on: true, do: onProc((*World).doKill)}, // SIGKILL; "zombie": and nobody reaps it
		"reap":    {on: true, do: (*World).doReap},
		"stop":    {trouble: true, on: true, do: onProc(func(w *World, p *Proc, _ Action) error { w.stop(p); return nil })},
		"cont":    {on: true, do: onProc(func(w *World, p *Proc, _ Action) error { w.cont(p, 0); return nil })},
		"fault":   {trouble: true, on: true, fault: true, do: onProc(func(w *World, p *Proc, a Action) error { p.plans = append(p.plans, &plan{a, a.Skip}); return nil })},
		"acquire": {on: true, dur: true, do: onProc((*World).doAcquire)},
		"release": {on: true, do: onProc((*World).doRelease)},
		"check":   {on: true, do: onProc((*World).doCheck)},
		"cancel":  {on: true, do: onProc((*World).doCancel)},

		// Hosts and the server.
		"host":    {on: true, do: (*World).doHost},
		"cut":     {trouble: true, on: true, do: onHost(func(w *World, h *Host, _ Action) error { h.cut = true; return nil })},
		"heal":    {on: true, do: onHost(func(w *World, h *Host, _ Action) error { h.cut = false; return nil })},
		"suspend": {trouble: true, on: true, dur: true, do: onHost((*World).suspend)},
		"reboot":  {trouble: true, on: true, do: onHost((*World).reboot)},
		"shift":   {on: true, dur: true, do: onHost(func(w *World, h *Host, a Action) error { h.wall += a.For; return nil })},
		"open":    {on: true, do: onHost((*World).openFile)},
		"close":   {on: true, do: onHost((*World).closeFiles)},
		"junk":    {do: (*World).junk},
		"script":  {do: (*World).byHand},
		"finish":  {do: func(w *World, _ Action) error { return w.Finish() }},
		"hang":    {trouble: true, do: func(w *World, _ Action) error { w.hung = true; return nil }},
		"answer":  {do: func(w *World, _ Action) error { w.hung = false; return nil }},
		"clock":   {dur: true, do: func(w *World, a Action) error { w.stepClock(a.For); return nil }},
	}
}

// Do does one action. An action that makes no sense here (a process that has ended) is an error and does nothing.
func (w *World) Do(a Action) error {
	if w.judge.verdict != nil {
		return w.judge.verdict
	}
	v, ok := verbs[a.Verb]
	if !ok {
		return fmt.Errorf("proptest: no such verb: %q", a.Verb)
	}
	w.script = append(w.script, a)
	w.trace.add(event{action: &a})
	w.troubled = w.troubled || v.trouble
	if err := v.do(w, a); err != nil {
		return fmt.Errorf("proptest: %s: %w", a, err)
	}
	w.gather()
	return w.Failure()
}

// Play does all of a script.
func (w *World) Play(s Script) error {
	for _, a := range s.Actions {
		if err := w.Do(a); err != nil {
			return err
		}
	}
	return nil
}

func onProc(f func(*World, *Proc, Action) error) func(*World, Action) error {
	return func(w *World, a Action) error {
		p := w.process(a.On)
		if p == nil || p.dead {
			return fmt.Errorf("no such process")
		}
		return f(w, p, a)
	}
}

func onHost(f func(*World, *Host, Action) error) func(*World, Action) error {
	return func(w *World, a Action) error {
		h := w.host(a.On)
		if h == nil {
			return fmt.Errorf("no such host")
		}
		return f(w, h, a)
	}
}

func (w *World) doRun(a Action) error {
	var first *Proc
	if len(a.Opt) > 0 {
		first = w.process(a.Opt[0])
	}
	w.run(a.For, first)
	return nil
}

// doStep lets the first call of a process go on that may.
func (w *World) doStep(a Action) error {
	w.gather()
	for _, c := range w.ready {
		if c.p.name == a.On && w.free(c) {
			w.settle(c)
			return nil
		}
	}
	return nil
}

func (w *World) let(p *Proc) {
	for _, c := range w.ready {
		if c.p == p {
			c.held = false
		}
	}
}

func (w *World) doRelease(p *Proc, _ Action) error {
	if list := p.active(holding); len(list) > 0 {
		w.release(list[0])
	}
	return nil
}

func (w *World) doCheck(p *Proc, _ Action) error {
	if list := p.active(holding); len(list) > 0 {
		w.check(list[0])
	}
	return nil
}

// doAcquire lets a process ask for the lock. A moment passes before, so that no two of its waits end at one instant.
func (w *World) doAcquire(p *Proc, a Action) error {
	w.pass(1024 * time.Nanosecond)
	w.acquire(p, a.For)
	return nil
}

// doCancel ends the waits of a process, one after another.
func (w *World) doCancel(p *Proc, _ Action) error {
	for _, a := range p.active(acquiring) {
		a.cancel(errCanceled)
		w.gather()
	}
	return nil
}

func (w *World) doKill(p *Proc, a Action) error {
	w.end(p, len(a.Opt) > 0 && a.Opt[0] == "zombie")
	return nil
}

func (w *World) doReap(a Action) error {
	p := w.process(a.On)
	if p == nil {
		return fmt.Errorf("no such process")
	}
	_ = p.task.Reap() // it need not be a zombie
	return nil
}

// stop is SIGSTOP, cont SIGCONT; lag is how long the whole host was suspended meanwhile.
func (w *World) stop(p *Proc) {
	if !p.stopped {
		p.stopped = true
		_ = p.task.Stop()
		p.clock.stop()
	}
}

func (w *World) cont(p *Proc, lag time.Duration) {
	if p.stopped {
		p.stopped = false
		_ = p.task.Continue()
		p.clock.cont(lag)
	}
}

// kill ends a process: from now on none of its calls has an effect, and nobody hears their answers.
func (w *World) kill(p *Proc) { w.end(p, false) }

func (w *World) end(p *Proc, zombie bool) {
	_ = p.task.Kill()
	if !zombie {
		_ = p.task.Reap()
	}
	w.mu.Lock()
	p.dead = true
	w.mu.Unlock()
	w.cont(p, 0) // so that its timers come to their end
	w.ready = slices.DeleteFunc(w.ready, func(c *call) bool {
		if c.p != p {
			return false
		}
		c.done <- pathError(c, errnos["EIO"])
		return true
	})
	for _, a := range p.actors {
		a.cancel(errCanceled)
		if a.state == holding {
			w.judge.left(a)
			go a.lock.Release()
		}
		a.state = done
	}
}

// suspend puts a host to sleep for a while, which nobody else minds.
func (w *World) suspend(h *Host, a Action) error {
	var slept []*Proc
	for _, p := range w.procs {
		if p.host == h && !p.dead && !p.stopped {
			w.stop(p)
			slept = append(slept, p)
		}
	}
	w.run(a.For, nil)
	for _, p := range slept {
		w.cont(p, a.For)
	}
	return nil
}

func (w *World) reboot(h *Host, _ Action) error {
	for _, p := range w.procs {
		if p.host == h && !p.dead {
			w.kill(p)
		}
	}
	h.cut = false
	w.boot(h)
	if w.Config.Mount == SMB { // the server sees that its client is gone, and closes its files
		return w.closeFiles(h, Action{})
	}
	return nil
}

// stepClock sets the server's clock.
func (w *World) stepClock(d time.Duration) {
	w.server.Step(d)
	for _, r := range w.judge.stamps {
		r.stepped = r.stepped || d > 0
	}
}
