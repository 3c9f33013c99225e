package dirlock

import (
	"context"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/heartbeat"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A Lock is a lock that was acquired. It is kept fresh until Release, or until it is lost. A handle that is dropped without
// Release holds until its process ends. Its methods may be called from many goroutines at once.
type Lock struct {
	*process
	set    settings
	path   string // resolved when it was acquired
	mount  string // what it is on
	table  uint64 // what was mounted before that was asked
	traits fsys.Traits

	ctx    context.Context
	cancel context.CancelCauseFunc

	mu       sync.Mutex // never held across a call to the file system
	state    lockState
	stamp    stamp.Stamp
	name     string // of the stamp
	beat     *heartbeat.Beat
	guard    io.Closer     // of the stamp; nil: it has none
	lost     error         // why, once it is lost
	settling chan struct{} // closed when a lapsed lease was taken anew or lost; nil if that is not under way
}

type lockState int

const (
	held   lockState = iota
	lapsed           // being taken anew, in place
	lost
	released
)

// newLock starts the heartbeat of a stamp that is on disk, alone.
func (a *acquisition) newLock(s stamp.Stamp, name string, traits fsys.Traits, from time.Duration, mtime time.Time, guard io.Closer) *Lock {
	ctx, cancel := context.WithCancelCause(a.values)
	l := &Lock{process: a.process, set: a.set, path: a.path, mount: a.mount, table: a.table, traits: traits, ctx: ctx, cancel: cancel}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.guard = guard
	l.keep(s, name, from, mtime)
	return l
}

// keep makes s the lock's stamp and its heartbeat run. The caller holds l.mu.
func (l *Lock) keep(s stamp.Stamp, name string, from time.Duration, mtime time.Time) {
	l.state, l.stamp, l.name = held, s, name
	t := &target{FS: l.FS, path: filepath.Join(l.path, name)}
	if l.traits.KeepsNames {
		t.up = l.path + up
	}
	l.beat = l.beats.Start(l.mount, t, l.set.Settings, from, mtime, heartbeat.Events{
		Gone:    func() { l.loseGone(s) },
		Lapsed:  func(asleep bool) { l.lapse(s, asleep) },
		Failing: func(err error) { l.set.log(levelWarn, "dirlock: heartbeat fails", attrPath(l.path), attrError(err)) },
	})
}

// Context ends when the lock ends: with a cause that matches [ErrLost] when it was lost, with [ErrReleased] after Release.
// It carries the values of the context that the lock was acquired with, but neither its deadline nor its cancellation.
// What is done under the lock must stop when it ends.
func (l *Lock) Context() context.Context { return l.ctx }

// Stamp returns the token of the lock's owner as it stands on disk now. It changes when a lock that slept through its lease
// was taken anew.
func (l *Lock) Stamp() stamp.Stamp {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stamp
}

// Check asks the file system whether the lock is still held. nil means that the stamp was there when the file system
// answered and that the lease had not run out. An error that matches [ErrLost] is final, [ErrReleased] too; any other one
// says why it is not known.
//
// After the process was asleep for longer than its lease, Check blocks until the lock was taken anew or is lost. If the file
// system does not answer, it returns when the lease has run out.
func (l *Lock) Check() error {
	for {
		s, beat, wait, err := l.current()
		if err != nil {
			return err
		}
		if wait != nil {
			<-wait
			continue
		}
		left := beat.Remaining()
		if left <= 0 {
			if left > -l.set.Heartbeat/2 {
				time.Sleep(min(l.set.Heartbeat/16, 10*time.Millisecond)) // the watchdog is about to say whether we were asleep: it knows
			} else { // it has nothing else to do, and was not there in time: we were
				l.lapse(s, true)
			}
			continue
		}
		info, err, answered := l.ask(s, left)
		switch {
		case !answered:
			continue
		case gone(err) == heartbeat.ErrGone, err == nil && info.Nlink == 0:
			l.loseGone(s)
			continue
		case err != nil:
			return err
		case beat.Remaining() <= 0:
			continue // the answer came too late to mean anything
		}
		if now, _, wait, err := l.current(); err == nil && wait == nil && now.UUID == s.UUID {
			return nil
		}
	}
}

// ask looks at the lock's stamp, and reports whether there was an answer in time.
func (l *Lock) ask(s stamp.Stamp, within time.Duration) (info fsys.Info, err error, answered bool) {
	stat := func() (fsys.Info, error) {
		l.recheckName()
		return l.FS.Stat(filepath.Join(l.path, s.Name()))
	}
	type answer struct {
		info fsys.Info
		err  error
	}
	answers := make(chan answer, 1)
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	// Not in turn with what else is done about the path: a question that hangs must not keep a lock from being taken anew.
	go l.inTurn(ctx, "asked: "+l.path, l.mount, func() {
		info, err := stat()
		answers <- answer{info, err}
	})
	select {
	case a := <-answers:
		return a.info, a.err, true
	case <-ctx.Done():
		return info, nil, false
	}
}

// current returns the lock's stamp and heartbeat if it is held, a channel to wait for if that is being settled, and else
// why it is not held.
func (l *Lock) current() (stamp.Stamp, *heartbeat.Beat, <-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.state {
	case lost:
		return l.stamp, nil, nil, l.lost
	case released:
		return l.stamp, nil, nil, ErrReleased
	case lapsed:
		return l.stamp, nil, l.settling, nil
	}
	return l.stamp, l.beat, nil, nil
}

// lose ends the lock, if it is held and s is still its stamp: the loss of one that was replaced is no news, and of one that
// is being replaced it is our own doing.
func (l *Lock) lose(s stamp.Stamp, how string, err error) { l.end(held, s, how, err) }

// loseGone is lose where the file system says that the stamp is gone: its guard is nobody's any more.
func (l *Lock) loseGone(s stamp.Stamp) {
	l.lose(s, "its stamp is gone: it was taken over, or removed from outside", nil)
	l.mu.Lock()
	idle := l.state == lost && l.stamp.UUID == s.UUID
	l.mu.Unlock()
	if idle {
		l.dropGuard()
	}
}

// dropGuard gives up the guard that the lock has, if any.
func (l *Lock) dropGuard() {
	l.mu.Lock()
	g := l.guard
	l.guard = nil
	l.mu.Unlock()
	if g != nil {
		l.letGo(g)
	}
}

// end ends the lock, if it is in the given state and s is still its stamp.
func (l *Lock) end(from lockState, s stamp.Stamp, how string, err error) {
	l.mu.Lock()
	if l.state != from || l.stamp.UUID != s.UUID {
		l.mu.Unlock()
		return
	}
	l.state = lost
	l.lost = &lostError{l.set.path, how, err}
	beat, cause, name := l.beat, l.lost, l.name
	l.mu.Unlock()
	beat.Stop()
	l.cancel(cause)
	l.lines.released(l.path) // others of this process, who count on our telling them
	l.set.log(levelError, "dirlock: lost", attrPath(l.set.path), attrToken(name), attrReason(how))
}
