package dirlock

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"
)

// A Mutex says which lock and on what terms. Its zero value but for Path is ready to use; it holds no state, so it may be
// copied, kept, or made anew for every acquisition, and used by many goroutines at once.
//
// It is not a [sync.Locker]: taking a lock on a network can fail, and so can keeping it.
type Mutex struct {
	// Path is the directory that is the lock. Its parent must exist; the links on the way to it are followed once, when
	// the lock is acquired. A last element that leaves no room for ".dirlock" behind it is ENAMETOOLONG.
	Path string

	// Wait bounds Acquire where its context has no deadline. 0 means 10 s; negative means as long as the context. A
	// call that has met an owner that is already silent for Stale may outlast Wait by the time it takes to confirm that
	// (max(3 Heartbeat, Stale/5) and one Poll), never a context's deadline.
	Wait time.Duration

	// Heartbeat is how often the stamp's mtime is renewed. 0 means 1 s; the least is 10 ms.
	Heartbeat time.Duration

	// Stale is how long a holder that no kernel can answer for must be silent before it may be taken over, and bounds
	// the lease: the lock is given up by its own holder when no heartbeat got through for two thirds of Stale. 0 means
	// 30 s. At least 3 Heartbeat, at most 1 h. Of two that disagree, the longer counts.
	Stale time.Duration

	// Poll is the longest pause between two looks of a waiter where the kernel does not tell of changes, as on all network file
	// systems; the first ones are shorter. 0 means 350 ms; the least is 10 ms, the most a third of Stale. The pauses are drawn between half
	// of that and all of it, each look is one call, and the waiters of one process share them: 1,000 waiting processes ask a server
	// some 3,800 times a second by default, and 670 times with 2 s.
	Poll time.Duration

	// Mode are the permission bits of the lock directory, whatever the umask. 0 means: all for the owner, and for group
	// and others what the parent grants them, so that whoever may write there may repair a lock; below a sticky parent
	// (such as /tmp), 0755.
	Mode fs.FileMode

	// Note is written into the stamp for people who ask who holds the lock; at most 1 KiB.
	Note string

	// Group is a process group whose living members keep the lock held after this process has ended, as for a command
	// that runs under it. 0 means none. It counts on the same host only, and is asked of the kernel.
	Group int

	// RequireShared refuses, in a container, a place that only that container sees, with a [*NotSharedError], before anything is
	// made: its writable layer, a tmpfs of its own, an anonymous volume, and what cannot be told. What remains is a
	// mount that came from outside: a directory of the machine, a named volume, a file system of the network; also a Kubernetes emptyDir,
	// which one pod's containers share. That it is the same for all who use the lock is not looked at, and cannot be.
	// Where no container is recognised nothing is refused: on a virtual or real machine, and on systems other than Linux.
	// Without RequireShared such a place is warned of, by Logger. See [container.Where] for what is told by what.
	RequireShared bool

	// Logger hears of what happens to the lock. nil means silence.
	Logger *slog.Logger

	process *process // whose process the lock belongs to; nil: this one
}

// At is short for &Mutex{Path: path}.
func At(path string) *Mutex { return &Mutex{Path: path} }

// Acquire takes the lock, waiting for it if need be. If it returns a lock, no other process that keeps to the protocol
// holds it until it is released or its context ends.
//
// The context bounds the wait only; the lock outlives it. Without a deadline, Wait bounds it. When the wait ends without
// the lock, the error is a [*HeldError]. Faults that waiting does not mend (a missing parent, no permission, a full or
// read-only file system, a name too long) come back at once as a [*fs.PathError]; [ErrNotLock] means that the path is
// something else. Settings that make no sense are an error, never corrected.
//
// Acquire returns when the wait is over even if the file system does not answer; what succeeds late is undone.
func (m *Mutex) Acquire(ctx context.Context) (*Lock, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, &fs.PathError{Op: "acquire", Path: m.Path, Err: err}
	}
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	return m.proc().acquire(ctx, set)
}

// TryAcquire takes the lock if that needs no waiting, and repairs what needs no watching: the lock of a process that this
// host's kernel says is gone and whose heartbeat is old. Otherwise the error is a [*HeldError] that says what waiting
// would bring, or as for [Mutex.Acquire]. If the file system does not answer, it gives up after a second.
func (m *Mutex) TryAcquire() (*Lock, error) {
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	set.try = true
	return m.proc().acquire(context.Background(), set)
}

// Do runs f while holding the lock. The context that f gets ends with ctx and with the lock; f must stop then. Do returns
// f's error joined with that of the release, so that a loss during f is never silent.
func (m *Mutex) Do(ctx context.Context, f func(context.Context) error) (err error) {
	lock, err := m.Acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }() // also when f panics
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(lock.Context(), func() { cancel(context.Cause(lock.Context())) })
	defer stop()
	return f(inner)
}

func (m *Mutex) proc() *process {
	if m.process != nil {
		return m.process
	}
	return thisProcess()
}
