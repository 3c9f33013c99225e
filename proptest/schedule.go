package proptest

import (
	"slices"
	"testing/synctest"
	"time"
)

// stir wakes the scheduler.
func (w *World) stir() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// gather lets every goroutine run until it waits for something, and takes in what they sent.
func (w *World) gather() {
	for {
		synctest.Wait()
		w.mu.Lock()
		arrived, ended := w.arrived, w.ended
		w.arrived, w.ended = nil, nil
		w.mu.Unlock()
		for _, c := range arrived {
			c.due = time.Now().Add(w.Config.Latency)
		}
		w.ready = append(w.ready, arrived...)
		slices.SortFunc(ended, compareActors)
		for _, a := range ended {
			w.finished(a)
		}
		if len(ended) == 0 { // else they may have begun something new
			break
		}
	}
	slices.SortStableFunc(w.ready, compareCalls)
	w.judge.look()
}

func compareCalls(a, b *call) int {
	switch {
	case a.p.serial != b.p.serial:
		return a.p.serial - b.p.serial
	case a.op != b.op:
		if a.op < b.op {
			return -1
		}
		return 1
	case a.path < b.path:
		return -1
	case a.path > b.path:
		return 1
	}
	return 0
}

// free reports whether a call may go on.
func (w *World) free(c *call) bool {
	return !c.held && !c.p.stopped && !c.p.host.cut && !(w.hung && c.p.host.kind != Local) && !(w.grace && c.waitsForGrace())
}

// waitsForGrace reports whether an NFS 4 server puts a call off while it waits for its clients to come back after it was rebooted.
func (c *call) waitsForGrace() bool {
	if c.p.host.kind != NFS4 && c.p.host.kind != NFS4New || c.acted {
		return false
	}
	switch c.op {
	case "create", "unlink", "rmdir", "rename", "read":
		return true
	}
	return false
}

// next returns the first call that may go on and has been under way for long enough, of the given process if one of its is
// among them; or else how long it takes until there is one.
func (w *World) next(first *Proc, most time.Duration) (*call, time.Duration) {
	var found *call
	for _, c := range w.ready {
		if !w.free(c) {
			continue
		}
		if left := time.Until(c.due); left > 0 {
			most = min(most, left)
			continue
		}
		if found != nil && c.p != first {
			continue
		}
		if left := w.recalls(c); left > 0 {
			most = min(most, left)
			continue
		}
		if c.p == first {
			return c, 0
		}
		found = c
	}
	return found, most
}

// busy is how many calls at one instant are too many: somebody turns in a circle.
const busy = 3000

// run lets calls go on by themselves for d, those of first before others at each instant.
func (w *World) run(d time.Duration, first *Proc) {
	until := time.Now().Add(d)
	for w.judge.verdict == nil {
		w.gather()
		c, left := w.next(first, time.Until(until))
		if c != nil {
			if w.stalls++; w.stalls > busy {
				w.judge.fail(5, "%s turns in a circle: %d calls and no time has passed (%s)", c.p.name, w.stalls, c)
				return
			}
			w.settle(c)
			continue
		}
		if left <= 0 {
			return
		}
		w.wait(left)
	}
}

// wait lets time pass until somebody sends something, for d at most.
func (w *World) wait(d time.Duration) {
	w.stalls = 0
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-w.woken:
	case <-timer.C:
	}
}

// pass lets time pass with nothing answered.
func (w *World) pass(d time.Duration) {
	until := time.Now().Add(d)
	for w.judge.verdict == nil {
		w.gather()
		left := time.Until(until)
		if left <= 0 {
			return
		}
		w.wait(left)
	}
}
