package proptest

import (
	"io/fs"
	"slices"
	"sync"
	"syscall"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// lockPath is the lock that everybody wants.
const lockPath = "/lock"

// A World is hosts, processes and a server, and the calls on their way. It belongs into a synctest bubble, and to one goroutine.
type World struct {
	Config Config

	server   *memfs.Server
	admin    *memfs.Client // the server's own view
	hosts    []*Host
	procs    []*Proc // all that ever were, in the order of their start
	hung     bool    // the server does not answer
	ready    []*call // sent and not answered, in an order that does not depend on the Go scheduler
	late     []*call // those that had been answered before they have their effect
	stalls   int     // calls answered since time last moved
	junked   int
	troubled bool // somebody was cut short

	judge  judge
	count  count
	script []Action
	trace  trace

	mu      sync.Mutex // guards what calls and callbacks share with the scheduler
	arrived []*call
	ended   []*actor // whose Acquire or Release has just returned
	woken   chan struct{}
}

// count is what happened how often.
type count struct {
	calls, locks, takeovers int
	excused                 int // moments at which two contexts lived because a process was stopped, or had just run again
	assumed                 int // the same, because the server's clock was stepped while a holder was silent
	limits                  int // times that the documented limit was met
}

// New returns a world with no hosts yet. Close must be called in the end.
func New(c Config) *World {
	w := &World{Config: c, server: memfs.NewServer(), woken: make(chan struct{}, 1)}
	w.admin = w.server.Local()
	w.server.Tick = c.tick()
	w.trace.began = time.Now()
	w.judge.w = w
	w.judge.stamps, w.judge.foreign = map[string]*stampRecord{}, map[string]string{}
	return w
}

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
		if len(arrived)+len(ended) == 0 {
			break
		}
		for _, c := range arrived {
			c.due = time.Now().Add(w.Config.Latency)
		}
		w.ready = append(w.ready, arrived...)
		slices.SortFunc(ended, compareActors)
		for _, a := range ended {
			w.finished(a)
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
	return !c.held && !c.p.stopped && !c.p.host.cut && !(w.hung && w.Config.Mount != Local)
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
		if c.p == first {
			return c, 0
		}
		if found == nil {
			found = c
		}
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

// settle decides a call's fate, by the plans made for its process.
func (w *World) settle(c *call) {
	before, after := c.p.planned(c)
	if !c.acted {
		if before != nil && !w.strikes(c, before) {
			return
		}
		w.act(c)
		if after != nil && !w.strikes(c, after) {
			return
		}
	}
	w.reply(c)
}

// act has a call's effect.
func (w *World) act(c *call) {
	w.judge.before(c)
	w.count.calls++
	c.answer = c.do()
	c.acted = true
	w.judge.after(c)
	w.trace.call(c, "")
}

// reply gives a call its answer.
func (w *World) reply(c *call) {
	if i := slices.Index(w.ready, c); i >= 0 {
		w.ready = slices.Delete(w.ready, i, i+1)
	}
	c.done <- c.answer
}

// strikes lets a plan come true, and reports whether the call goes on.
func (w *World) strikes(c *call, p *plan) bool {
	note := p.When.String() + " " + p.What
	switch p.What {
	case "stop":
		w.stop(c.p)
		w.trace.call(c, note)
		return false
	case "hold":
		c.held = true
		w.trace.call(c, note)
		return false
	case "kill":
		w.trace.call(c, note)
		w.kill(c.p)
		return false
	case "replay": // sent again, since the answer was lost
		w.trace.call(c, note)
		w.act(c)
		return true
	case "late": // answered, and on its way all the same
		w.late = append(w.late, &call{p: c.p, op: c.op, path: c.path, do: c.do, done: make(chan error, 1)})
	}
	c.answer = pathError(c, p.Err)
	w.trace.call(c, note)
	w.reply(c)
	return false
}

// land lets those calls have their effect that were answered before.
func (w *World) land() {
	late := w.late
	w.late = nil
	for _, c := range late {
		w.act(c)
	}
}

// planned returns what is to happen at a call, which uses the plans up.
func (p *Proc) planned(c *call) (before, after *plan) {
	p.plans = slices.DeleteFunc(p.plans, func(pl *plan) bool {
		if pl.Op != "" && pl.Op != c.op || c.acted {
			return false
		}
		if pl.left > 0 {
			pl.left--
			return false
		}
		switch {
		case pl.When == Before && before == nil:
			before = pl
		case pl.When == After && after == nil:
			after = pl
		default:
			return false
		}
		return true
	})
	return before, after
}

// Failure is the promise that was broken, nil if none was: with what happened, and the script that shows it again.
func (w *World) Failure() error {
	if w.judge.verdict == nil {
		return nil
	}
	return w.judge.verdict
}

func (w *World) process(name string) *Proc {
	for _, p := range w.procs {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (w *World) host(name string) *Host {
	for _, h := range w.hosts {
		if h.name == name {
			return h
		}
	}
	return nil
}

func pathError(c *call, e syscall.Errno) error { return &fs.PathError{Op: c.op, Path: c.path, Err: e} }
