package proptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

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
		if c.p.name == a.On && w.free(c) && w.recalls(c) == 0 {
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
	if p.onlooker {
		return fmt.Errorf("it only looks")
	}
	w.pass(1024 * time.Nanosecond)
	w.acquire(p, lockPath, a.For)
	return nil
}

// extra lets a process take more locks, which nobody else wants: "extra NAME 5".
func (w *World) extra(p *Proc, a Action) error {
	n, err := strconv.Atoi(strings.Join(a.Opt, ""))
	if err != nil || p.onlooker {
		return fmt.Errorf("how many?")
	}
	for range n {
		w.acquire(p, fmt.Sprintf("/extra-%s-%d", p.name, len(p.actors)), -1)
		w.gather()
	}
	return nil
}

// again releases a lock that was released before.
func (w *World) again(p *Proc, _ Action) error {
	for _, a := range p.actors {
		if (a.state == releasing || a.state == done) && a.lock != nil {
			w.releaseAgain(a)
			return nil
		}
	}
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

// inspect looks at the lock. The process must have nothing else to do, so that whatever it changes is the look's doing.
func (w *World) inspect(p *Proc, _ Action) error {
	if len(p.actors) > 0 {
		return fmt.Errorf("it wants the lock")
	}
	p.onlooker = true
	a := &actor{p: p}
	m := p.mutex
	go func() {
		_, a.err = m.Inspect()
		a.report("inspect")
	}()
	return nil
}

func (w *World) ungroup(a Action) error {
	p := w.process(a.On)
	if p == nil || p.group == nil {
		return fmt.Errorf("no such group")
	}
	_ = p.group.Kill()
	if len(a.Opt) == 0 { // else its zombie stays
		_ = p.group.Reap()
	}
	return nil
}

func (w *World) doKill(p *Proc, a Action) error {
	w.end(p, slices.Contains(a.Opt, "zombie"), slices.Contains(a.Opt, "heir"))
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
func (w *World) kill(p *Proc) { w.end(p, false, false) }

// end is the end of a process, which stays a zombie or is reaped, and whose open files it may have left to a child of its own.
func (w *World) end(p *Proc, zombie, heir bool) {
	_ = p.task.Kill()
	if !zombie {
		_ = p.task.Reap()
	}
	w.mu.Lock()
	p.dead = true
	w.mu.Unlock()
	if !heir {
		p.closeAll()
	}
	w.exited(p)
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
	h.asleep = true
	w.run(a.For, nil)
	h.asleep = false
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
	if h.kind == SMB { // the server sees that its client is gone, and closes its files
		return w.closeFiles(h, Action{})
	}
	return nil
}

// stepClock sets the server's clock.
func (w *World) stepClock(d time.Duration) {
	w.server.Step(d)
	for _, r := range w.judge.stamps {
		r.stepped = r.stepped || d > 0
		r.setBack = r.setBack || d < 0
	}
}
