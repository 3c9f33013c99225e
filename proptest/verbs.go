package proptest

import (
	"fmt"
	"strings"
)

// A verb is what an action can do.
type verb struct {
	on, fault, dur bool // what words follow it
	trouble        bool // it cuts somebody short
	do             func(w *World, a Action) error
}

var verbs map[string]verb

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
		"fault":   {trouble: true, on: true, fault: true, do: onProc((*World).doFault)},
		"acquire": {on: true, dur: true, do: onProc((*World).doAcquire)},
		"release": {on: true, do: onProc((*World).doRelease)},
		"again":   {on: true, do: onProc((*World).again)},
		"extra":   {on: true, do: onProc((*World).extra)},
		"inspect": {on: true, do: onProc((*World).inspect)},
		"ungroup": {on: true, do: (*World).ungroup}, // the group that worked under a process's lock ends
		"check":   {on: true, do: onProc((*World).doCheck)},
		"cancel":  {on: true, do: onProc((*World).doCancel)},

		// Hosts and the server.
		"host":    {on: true, do: (*World).doHost},
		"cut":     {trouble: true, on: true, do: onHost(func(w *World, h *Host, _ Action) error { h.cut = true; return nil })},
		"heal":    {on: true, do: onHost(func(w *World, h *Host, _ Action) error { h.cut = false; return nil })},
		"suspend": {trouble: true, on: true, dur: true, do: onHost((*World).suspend)},
		"reboot":  {trouble: true, on: true, do: onHost((*World).reboot)},
		"shift":   {on: true, dur: true, do: onHost((*World).shift)},
		"open":    {on: true, do: onHost((*World).openFile)},
		"close":   {on: true, do: onHost((*World).closeFiles)},
		"forge":   {on: true, do: (*World).forge}, // a stamp that nobody made who keeps to the protocol
		"junk":    {do: (*World).junk},
		"script":  {do: (*World).byHand},
		"finish":  {do: func(w *World, a Action) error { return w.Finish(strings.Join(a.Opt, "")) }},
		"hang":    {trouble: true, do: func(w *World, _ Action) error { w.hung = true; return nil }},
		"grace":   {trouble: true, do: func(w *World, _ Action) error { w.grace = true; return nil }},
		"answer":  {do: func(w *World, _ Action) error { w.hung, w.grace = false, false; return nil }},
		"clock":   {dur: true, do: func(w *World, a Action) error { w.stepClock(a.For); return nil }},
	}
}

// Do does one action. One that makes no sense here (a process that has ended) is an error and does nothing. Once a promise is
// broken, every action is that [*Broken].
func (w *World) Do(a Action) error {
	if w.judge.verdict != nil {
		return w.judge.verdict
	}
	v, ok := verbs[a.Verb]
	if !ok {
		return fmt.Errorf("proptest: no such verb: %q", a.Verb)
	}
	if a.Verb != "finish" { // which notes itself
		w.script = append(w.script, a)
	}
	w.trace.add(event{action: &a})
	troubled := w.troubled
	w.troubled = w.troubled || v.trouble
	if err := v.do(w, a); err != nil {
		if a.Verb != "finish" { // it did nothing, and would end the script when that is played
			w.script = w.script[:len(w.script)-1]
			w.troubled = troubled
		}
		return fmt.Errorf("proptest: %s: %w", a, err)
	}
	w.gather()
	return w.Failure()
}

// Play does all of a script, up to the first action that is an error: a broken promise, or one that makes no sense.
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
