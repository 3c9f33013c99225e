package dirlock

import (
	"context"
	"errors"
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
	mount   string          // what it is on
	memory  bool            // nothing that is asked of it can hang, as long as nothing else is mounted
	table   uint64          // what was mounted before that was asked
	values  context.Context // the caller's, without its end: what the lock's own context is made from
	self    stamp.Identity
	watched map[string]*watch // by the names of stamps; "" is the directory itself
	started time.Duration     // Mono

	inherit    fs.FileMode   // mode that the parent grants, once it was asked
	saidBy     string        // whose content was read: the name of a stamp
	said       stamp.Content // that
	traits     fsys.Traits   // of the mount, once the directory was looked at
	looked     bool          // it was
	draft      *draft        // what the next stamp will say, ready; nil: it is not
	clockAt    time.Duration // Mono of the last probe of the file system's clock; 0: none
	notes      notes         // what lies beside the lock for others
	groupStart uint64        // start time of the leader of set.group
	plain      bool          // its stamps have no guards any more: that of one was not to be had
	refusal    error         // what was said last of a directory that was there a moment ago; nil: nothing
	pending    time.Duration // Mono of the first refusal that may have been a delete-pending entry; 0: none
	rhythm     rhythm        // of the looks
	notices    notices       // what the kernel is asked to tell

	mu       sync.Mutex
	limit    time.Time // when Wait runs out; zero: never. It moves once, see prolong
	extended bool
	place    *place // in the line of those who wait; nil: in none
	left     bool   // the caller has gone: what succeeds now is undone
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
	case !deadline && set.wait > 0 && set.wait < endless:
		a.limit = time.Now().Add(set.wait)
	}
	a.memory = a.near()
	if a.memory { // nobody who does the calls for us has to be left behind
		lock, err := a.work(ctx)
		if !errors.Is(err, errMountsChanged) {
			return lock, err
		}
		a.near()
		a.memory = false
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

// near takes the path as it was given, if that is all that there is to it, and reports whether it lies in memory.
func (a *acquisition) near() (memory bool) {
	a.table = a.FS.Mounts()
	path, memory, ok := a.FS.Near(a.set.path)
	if !ok {
		a.path = ""
		return false
	}
	a.path, a.mount = path, a.FS.Mount(path)
	return memory
}

// endless is a wait that nobody sees the end of, and that a date could not hold.
const endless = 100 * 365 * 24 * time.Hour

// errMountsChanged means that what was in memory may lie elsewhere now, where it can hang.
var errMountsChanged = errors.New("dirlock: something was mounted meanwhile")

// work takes the lock or says why not. It runs on the worker.
func (a *acquisition) work(ctx context.Context) (*Lock, error) {
	if err := a.resolve(ctx); err != nil {
		return nil, err
	}
	if err := a.checkName(); err != nil {
		return nil, err
	}
	if err := a.checkPlace(); err != nil {
		return nil, err
	}
	if g := a.set.group; g != 0 {
		start, err := a.Lead(g)
		if err != nil {
			return nil, fmt.Errorf("dirlock: process group %d: %w", g, err)
		}
		a.groupStart = start
	}
	a.self = a.Self()
	if a.set.try {
		defer a.conclude()
		lock, block, err := a.attempt(ctx, obstacle{})
		if lock != nil || err != nil {
			return lock, err
		}
		return nil, a.held(block, nil)
	}
	return a.stand(ctx)
}

// stand waits in the line of this process, and then for the lock.
func (a *acquisition) stand(ctx context.Context) (*Lock, error) {
	place := a.lines.join(a.path, patience{a.set.Heartbeat, a.set.Stale, a.set.poll})
	defer place.leave()
	defer a.conclude() // before: who comes next goes on from what this one saw
	a.mu.Lock()
	a.place = place
	a.mu.Unlock()
	for !place.first() {
		if cause := a.sleep(ctx, forever, place.front); cause != nil {
			return nil, a.unanswered(cause)
		}
	}
	defer a.notices.end()
	for block := (obstacle{}); ; {
		var lock *Lock
		var err error
		if lock, block, err = a.attempt(ctx, block); err == nil {
			place.saw(block) // nobody, if it is ours now: those behind are not to name who had it before
		}
		if lock != nil || err != nil {
			return lock, err
		}
		if cause := a.pause(ctx, &block); cause != nil {
			return nil, a.held(block, cause)
		}
	}
}

// attempt is one look at the lock: a glance at who was in the way before, if that is all that it takes, else a pass.
func (a *acquisition) attempt(ctx context.Context, before obstacle) (lock *Lock, block obstacle, err error) {
	see := func() {
		if still, ok := a.glance(before); ok {
			block = still
		} else {
			lock, block, err = a.turn(ctx)
		}
	}
	if a.memory && a.table != a.FS.Mounts() {
		return nil, obstacle{}, errMountsChanged
	}
	in := a.inTurn(ctx, func() {
		see()
		if lock == nil && err == nil && a.listen(block) { // what came before the listening was not heard
			before = block
			see()
		}
	})
	switch {
	case !in:
		return nil, obstacle{}, a.unanswered(context.Cause(ctx))
	case lock != nil:
		a.logAcquired(lock, a.Clock.Mono()-a.started)
	}
	return lock, block, err
}

// turn is one pass, and what is to be cleared away if the lock was had: nobody else's turn comes in between.
func (a *acquisition) turn(ctx context.Context) (*Lock, obstacle, error) {
	lock, block, err := a.pass(ctx)
	if a.notes.holds = lock != nil; a.notes.holds {
		a.sweepAux()
	}
	return lock, block, err
}

// conclude clears away at the end what an acquisition without success left, and leaves what it saw.
func (a *acquisition) conclude() {
	if a.notes.used || a.clockAt != 0 {
		a.inTurn(a.values, a.sweepAux)
	}
	a.remember()
}

// resolve follows the links on the way to the lock. A mount may hang there already, and then holds one goroutine for the path as
// it was given.
func (a *acquisition) resolve(ctx context.Context) (err error) {
	if a.path != "" {
		return nil
	}
	if !a.resolving(ctx, a.set.path, func() { a.path, err = a.FS.Resolve(a.set.path) }) {
		return a.unanswered(context.Cause(ctx))
	}
	a.table = a.FS.Mounts()
	a.mount = a.FS.Mount(a.path)
	return err
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
