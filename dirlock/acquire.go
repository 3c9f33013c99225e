package dirlock

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

const (
	// tryBound is how long TryAcquire waits for a file system that does not answer.
	tryBound = time.Second
	// grace is how long a caller whose wait is over lets its worker finish the call that it is in, so that the error can
	// name the holder.
	grace = 50 * time.Millisecond
	// deletePending is how long a refusal may be an entry that is being deleted, on SMB and Windows.
	deletePending = time.Second
)

// An acquisition is one call of Acquire. Its worker talks to the file system, so that the caller can leave when the wait
// is over although a call hangs.
type acquisition struct {
	*process
	set     settings
	path    string          // resolved
	values  context.Context // the caller's, without its end: what the lock's own context is made from
	self    stamp.Identity
	watched map[string]*watch // by the names of stamps; "" is the directory itself
	started time.Duration     // Mono

	inherit    fs.FileMode   // mode that the parent grants, once it was asked
	traits     fsys.Traits   // of the mount, once the directory was looked at
	clockAt    time.Duration // Mono of the last probe of the file system's clock; 0: none
	notes      notes         // what lies beside the lock for others
	groupStart uint64        // start time of the leader of set.group
	pending    time.Duration // Mono of the first refusal that may have been a delete-pending entry; 0: none

	mu       sync.Mutex
	limit    time.Time // when Wait runs out; zero: never. It moves once, see extend
	extended bool
	left     bool // the caller has gone: what succeeds now is undone
	done     bool
}

type result struct {
	lock *Lock
	err  error
}

func (p *process) acquire(ctx context.Context, set settings) (*Lock, error) {
	a := &acquisition{process: p, set: set, values: context.WithoutCancel(ctx), watched: map[string]*watch{}, started: p.Clock.Mono()}
	_, deadline := ctx.Deadline()
	switch {
	case set.try:
		a.limit = time.Now().Add(tryBound)
	case !deadline && set.wait > 0:
		a.limit = time.Now().Add(set.wait)
	}
	workCtx, cancel := context.WithCancelCause(a.values)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	defer stop()

	results := make(chan result, 1)
	go func() {
		lock, err := a.work(workCtx)
		if !a.finish() && lock != nil {
			_ = lock.Release() // nobody is there to take it
		}
		results <- result{lock, err}
		cancel(nil)
	}()
	return a.await(ctx, results, cancel)
}

// await returns the worker's result, or leaves when the wait is over and the worker is stuck in a call.
func (a *acquisition) await(ctx context.Context, results <-chan result, cancel context.CancelCauseFunc) (*Lock, error) {
	done, canceled := ctx.Done(), false
	for {
		var timer *time.Timer
		var fire <-chan time.Time
		if canceled {
			timer = time.NewTimer(grace)
		} else if limit := a.deadline(); !limit.IsZero() {
			timer = time.NewTimer(time.Until(limit) + grace)
		}
		if timer != nil {
			fire = timer.C
		}
		select {
		case r := <-results:
			stopTimer(timer)
			return r.lock, r.err
		case <-done:
			stopTimer(timer)
			done, canceled = nil, true
			continue
		case <-fire:
		}
		if !canceled && time.Until(a.deadline()) > 0 {
			continue // it was extended
		}
		if !a.leave() {
			r := <-results
			return r.lock, r.err
		}
		cause := context.Cause(ctx)
		if cause == nil {
			cause = context.DeadlineExceeded
		}
		cancel(cause)
		return nil, a.unanswered(cause)
	}
}

// unanswered is the error of a wait that ended before the file system said who holds the lock, if anybody does.
func (a *acquisition) unanswered(cause error) error {
	err := fmt.Errorf("the file system has not answered for %v: %w", round(a.Clock.Mono()-a.started), cause)
	return &fs.PathError{Op: "acquire", Path: a.set.path, Err: err}
}

// leave reports whether the caller may go; false if the result is there.
func (a *acquisition) leave() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = !a.done
	return a.left
}

// finish reports whether the caller is still there to take the result.
func (a *acquisition) finish() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = !a.left
	return a.done
}

func (a *acquisition) deadline() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit
}

// extend moves the end of Wait once, by d: an owner was met that is already silent for Stale, and only the watching is
// missing. Otherwise callers that wait for less than the confirm window could never win.
func (a *acquisition) extend(d time.Duration) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.extended {
		return false
	}
	a.extended = true
	a.limit = time.Now().Add(d)
	return true
}

// work takes the lock or says why not. It runs on the worker.
func (a *acquisition) work(ctx context.Context) (*Lock, error) {
	var err error
	if a.path, err = a.FS.Resolve(a.set.path); err != nil {
		return nil, err
	}
	if err := a.checkName(); err != nil {
		return nil, err
	}
	if g := a.set.group; g != 0 {
		if a.groupStart, err = a.Lead(g); err != nil {
			return nil, fmt.Errorf("dirlock: process group %d: %w", g, err)
		}
	}
	a.self = a.Self()
	defer a.remember()
	defer a.sweepAux()
	var block obstacle
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		leave := a.slots.enter(ctx, a.path)
		if leave == nil {
			if block.seen() {
				return nil, a.held(block, context.Cause(ctx))
			}
			return nil, a.unanswered(context.Cause(ctx))
		}
		var lock *Lock
		lock, block, err = a.pass(ctx)
		leave()
		a.notes.holds = lock != nil
		if lock != nil {
			a.logAcquired(lock, a.Clock.Mono()-a.started)
		}
		switch {
		case lock != nil || err != nil:
			return lock, err
		case a.set.try:
			return nil, a.held(block, nil)
		}
		if cause := a.pause(ctx, poll, block); cause != nil {
			return nil, a.held(block, cause)
		}
	}
}

// checkName refuses a path that leaves no room for what is kept beside it, before anything is made.
func (a *acquisition) checkName() error {
	const longest = 255 // NAME_MAX of every file system meant, where the mount does not say less
	if base := baseName(a.path); len(base)+len(auxSuffix) > longest {
		return &fs.PathError{Op: "acquire", Path: a.set.path, Err: fsys.ErrNameTooLong}
	}
	return nil
}

// pause sleeps until the next look, or returns why the wait is over.
func (a *acquisition) pause(ctx context.Context, poll time.Duration, block obstacle) error {
	d := poll/2 + a.Draw(poll/2) // jitter, so that waiters do not walk in step
	if w := block.verdict.Wait; w > 0 && w < d {
		d = w + time.Millisecond // the question is about to be settled
	}
	if limit := a.deadline(); !limit.IsZero() {
		left := time.Until(limit)
		if left <= 0 {
			window := stamp.Confirm(a.longer(block.stamp))
			if !block.verdict.Watching || !a.extend(window+lastPoll) {
				return context.DeadlineExceeded
			}
			left = window
		}
		d = min(d, left+1)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return context.Cause(ctx) // a done context wins a tie
}

// longer returns the settings that count between this waiter and the owner: the longer ones.
func (a *acquisition) longer(s stamp.Stamp) (beat, stale time.Duration) {
	beat, stale = a.set.Heartbeat, a.set.Stale
	if s.Version != 0 {
		b, st := s.Bounds()
		beat, stale = max(beat, b), max(stale, st)
	}
	return beat, stale
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
