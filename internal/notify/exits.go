package notify

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

// ErrNoProcess is matched by the error of [Exits.Watch] when there is no process of that pid, or it is not the one that was
// meant: a reason to look, since there is nothing to wait for.
var ErrNoProcess = errors.New("notify: no such process")

// Exits tells of the end of processes that this process's pid namespace shows. The zero value is ready. All who wait for one process
// share one handle of it. Nothing is open and nothing runs before the first Watch, nor [Linger] after the last stop.
//
// It may be used from many goroutines at once, and must not be copied.
type Exits struct {
	open func(pid int, ended func()) (handle, error) // nil but in tests: that of sys
	sys  exitSystem

	mu   sync.Mutex
	seen map[int]*process // by pid: those that a Watch may join
}

// A handle is held of one process, and stays that process's when its pid is given away.
type handle interface {
	over() bool // the process has ended, as far as can be said at once
	close()     // the notice that has not been given will not be
}

type process struct {
	handle  handle
	joining int // calls of Watch that are not decided yet
	waiters map[*ender]struct{}
	timer   *time.Timer // closes the handle when nobody has wanted it for a while; nil: nobody has stopped to want it yet
	done    bool        // the handle is closed
}

type ender struct{ exited func() }

// Watch takes a handle of the process pid, then asks confirm whether the process with that pid is still the one meant,
// so that whoever got the number next is never watched. It calls exited, once, when that process has ended: when it has no thread any
// more, be it reaped or a zombie. That may be before Watch has returned. confirm is called on the caller's goroutine, at most a few times,
// and may take its time.
//
// exited is called under a lock, as the wake of [Dirs.Watch] is: it must neither block nor call anything of this package.
// stop ends the watch; after it has returned exited is not called any more. Further calls do nothing.
//
// The error matches [ErrNoProcess], [errors.ErrUnsupported] where the system cannot tell, [fs.ErrInvalid] for a pid that is not
// positive, or is the system's: EMFILE, no right to look at that process.
func (e *Exits) Watch(pid int, confirm func() bool, exited func()) (stop func(), err error) {
	if pid <= 0 {
		return nil, fmt.Errorf("notify: pid %d: %w", pid, fs.ErrInvalid)
	}
	for {
		p, fresh, err := e.hold(pid)
		if err != nil {
			return nil, fmt.Errorf("notify: pid %d: %w", pid, err)
		}
		w := &ender{exited}
		switch e.join(pid, p, w, confirm(), fresh) {
		case unwanted:
			return nil, fmt.Errorf("%w: pid %d is another's", ErrNoProcess, pid)
		case joined:
			return func() { e.leave(pid, p, w) }, nil
		case late:
		}
	}
}

// hold returns the handle of a process, and whether it is a new one.
func (e *Exits) hold(pid int) (p *process, fresh bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p = e.seen[pid]
	if p == nil {
		p, fresh = &process{waiters: map[*ender]struct{}{}}, true
		open := e.open
		if open == nil {
			open = e.sys.open
		}
		p.handle, err = open(pid, func() { e.ended(pid, p) })
		if err != nil {
			return nil, false, err
		}
		if e.seen == nil {
			e.seen = map[int]*process{}
		}
		e.seen[pid] = p
	}
	p.joining++
	return p, fresh, nil
}

type outcome int

const (
	joined outcome = iota
	unwanted
	late
)

// join decides after confirm has answered. A process that lives after that is the one about which it was asked. Of one that has ended, only
// the handle that was taken before the question can be his of whom it was asked; another one's may have been his predecessor's.
func (e *Exits) join(pid int, p *process, w *ender, confirmed, fresh bool) outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	p.joining--
	switch {
	case !confirmed:
		e.letGo(pid, p)
		return unwanted
	case !fresh && (p.done || p.handle.over()):
		e.forget(pid, p)
		e.letGo(pid, p)
		return late
	case p.done:
		w.exited()
	default:
		p.waiters[w] = struct{}{}
	}
	return joined
}

func (e *Exits) leave(pid int, p *process, w *ender) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(p.waiters, w)
	e.letGo(pid, p)
}

// ended is called by the system's part, once, on a goroutine of its own.
func (e *Exits) ended(pid int, p *process) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.done {
		return
	}
	e.close(pid, p)
	for w := range p.waiters {
		w.exited()
	}
	clear(p.waiters)
}

// letGo sees to it that the handle is closed if nobody needs it, but not now: who stops has a lock to take, and may soon be back.
func (e *Exits) letGo(pid int, p *process) {
	switch {
	case !p.unused():
	case p.timer == nil:
		p.timer = time.AfterFunc(Linger, func() { e.closeUnused(pid, p) })
	default:
		p.timer.Reset(Linger)
	}
}

func (p *process) unused() bool { return !p.done && p.joining == 0 && len(p.waiters) == 0 }

func (e *Exits) closeUnused(pid int, p *process) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.unused() {
		e.close(pid, p)
	}
}

func (e *Exits) close(pid int, p *process) {
	p.done = true
	e.forget(pid, p)
	p.handle.close()
}

// forget lets nobody join any more.
func (e *Exits) forget(pid int, p *process) {
	if e.seen[pid] == p {
		delete(e.seen, pid)
	}
}
