package proptest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// An actor is a goroutine of a process that wants the lock: it acquires, holds, and releases when it is told to.
type actor struct {
	p      *Proc
	n      int
	path   string // of the lock that it wants
	began  time.Time
	cancel context.CancelCauseFunc

	// Set by the goroutine, before it is among the ended.
	lock *dirlock.Lock
	err  error
	what string // which call has returned: "acquire", "release", "check"

	state    actorState
	acquired time.Time // or when it asked, of a check
	released time.Time // when Release was called
	eager    bool      // releases as soon as it holds
}

type actorState uint8

const (
	acquiring actorState = iota
	holding
	releasing
	done
)

func compareActors(a, b *actor) int {
	return cmp.Or(cmp.Compare(a.p.serial, b.p.serial), cmp.Compare(a.n, b.n), cmp.Compare(a.what, b.what))
}

var errCanceled = errors.New("proptest: canceled")

// acquire lets a process ask for a lock; negative: for as long as it takes, 0: without waiting.
func (w *World) acquire(p *Proc, path string, wait time.Duration) *actor {
	ctx, cancel := context.WithCancelCause(context.Background())
	a := &actor{p: p, n: len(p.actors), path: path, cancel: cancel, began: time.Now()}
	p.actors = append(p.actors, a)
	m := p.mutex
	m.Path = path
	m.Wait = wait
	go func() {
		if wait == 0 {
			a.lock, a.err = m.TryAcquire()
		} else {
			a.lock, a.err = m.Acquire(ctx)
		}
		a.report("acquire")
	}()
	return a
}

// release lets an actor give up the lock that it holds.
func (w *World) release(a *actor) {
	a.state = releasing
	a.released = time.Now()
	w.judge.left(a)
	lock := a.lock
	go func() {
		a.err = lock.Release()
		a.report("release")
	}()
}

// releaseAgain lets an actor give up the lock that it has given up already.
func (w *World) releaseAgain(a *actor) {
	c := &actor{p: a.p, n: a.n, lock: a.lock, state: a.state}
	go func() {
		c.err = c.lock.Release()
		c.report("again")
	}()
}

// check lets it ask whether it still holds.
func (w *World) check(a *actor) {
	lock := a.lock
	c := &actor{p: a.p, n: a.n, lock: lock, acquired: time.Now()}
	go func() {
		c.err = lock.Check()
		c.report("check")
	}()
}

func (a *actor) report(what string) {
	w := a.p.w
	w.mu.Lock()
	a.what = what
	w.ended = append(w.ended, a)
	w.mu.Unlock()
	w.stir()
}

// finished takes in that a call of an actor has returned.
func (w *World) finished(a *actor) {
	if !a.p.dead { // else nobody hears of it
		w.trace.returned(a)
	}
	switch a.what {
	case "inspect":
		return
	case "again":
		if a.state == done && !errors.Is(a.err, dirlock.ErrReleased) { // of two under way, either may be the first
			w.judge.fail(3, "%s released twice, and was told %v", a.who(), a.err)
		}
		return
	case "check":
		w.judge.checked(a)
		return
	case "release":
		a.state = done
		w.judge.releasedAs(a)
		return
	}
	if a.lock == nil {
		a.state = done
		w.judge.refused(a)
		return
	}
	a.state, a.acquired = holding, time.Now()
	if a.p.dead { // nobody is there to hold it
		a.state = done
		go a.lock.Release() // so that its timers end
		return
	}

	w.judge.entered(a)
	if a.eager {
		w.release(a)
	}
}

// live reports whether an actor believes to hold the lock.
func (a *actor) live() bool { return a.state == holding && !a.p.dead && a.lock.Context().Err() == nil }

// active returns the process's actors in a state.
func (p *Proc) active(s actorState) (list []*actor) {
	for _, a := range p.actors {
		if a.state == s {
			list = append(list, a)
		}
	}
	return list
}

// name is that of the stamp under which an actor holds the lock. It changes when a lapsed lease was taken anew.
func (a *actor) name() string { return a.lock.Stamp().Name() }

// busy is how many actors of a process have something to do yet.
func (p *Proc) busy() (n int) {
	for _, a := range p.actors {
		if a.state != done {
			n++
		}
	}
	return n
}

// idle reports whether a process wants nothing, and nothing of it is under way.
func (p *Proc) idle() bool {
	return p.busy() == 0 && !slices.ContainsFunc(p.w.ready, func(c *call) bool { return c.p == p })
}
