package notify

import (
	"io/fs"
	"sync"
	"time"
)

// Dirs tells of what goes away in directories: one watcher for a whole process, shared by all who wait. The zero value is
// ready. Nothing runs and no descriptor is open before the first Watch, nor [Linger] after the last stop.
//
// It may be used from many goroutines at once, and must not be copied.
type Dirs struct {
	open func(sink) (source, error) // nil but in tests: openSource

	mu   sync.Mutex // of all below, and of every session of this Dirs
	used *session   // nil while nobody watches
}

// Linger is how long the kernel's watcher outlives the last watch. Closing a watcher takes Linux some 15 ms, and an opening
// one is counted against a limit of 128 a user, so that it is worth keeping between one wait and the next.
const Linger = 100 * time.Millisecond

// waiter is one call of Watch.
type waiter struct{ wake func() }

// Watch calls wake whenever an entry of the directory that is now at path is removed or renamed away, when the directory itself is
// removed, is moved, or has its file system unmounted, and when the kernel lost notices, each as far as the system tells
// (see the package's comment). It may call wake more often than that, and before it has returned.
//
// It is the directory that is watched, not the path: what comes to be at path later is another one. Whoever was woken and
// goes on waiting watches anew, before he looks; then stops the former watch. That costs some microseconds where the directory
// is the same.
//
// wake is called on a goroutine of this package, one call at a time, under a lock: it must neither block nor call anything of
// this package. A send that gives up when a buffered channel is full is what is meant.
//
// stop ends the watch; after it has returned wake is not called any more. It does not wait for the kernel's watcher to be
// closed. Further calls do nothing.
//
// The error is a [*fs.PathError]: no such directory (a link to one is none), no right to read it, a limit of the system (ENOSPC: too many watches,
// EMFILE: too many watchers or descriptors), or that there are no notices here. Then path must be looked at from time to time. Watch takes as long as
// it takes the system to find the directory, for ever on a mount that hangs. On Linux nobody else waits for that, except
// that kernel watches which end meanwhile are kept.
func (d *Dirs) Watch(path string, wake func()) (stop func(), err error) {
	s, from, err := d.begin()
	if err != nil {
		return nil, &fs.PathError{Op: "watch", Path: path, Err: err}
	}
	id, err := s.src.add(path)
	w := &waiter{wake}
	d.added(s, id, w, from, err)
	if err != nil {
		return nil, &fs.PathError{Op: "watch", Path: path, Err: err}
	}
	return func() { d.stop(s, id, w) }, nil
}

// begin announces a call of add, in a session that is open until the call is over.
func (d *Dirs) begin() (s *session, from uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.used != nil && d.used.sweeping {
		d.used.swept.Wait()
	}
	if d.used == nil {
		s := newSession(d)
		open := d.open
		if open == nil {
			open = openSource
		}
		if s.src, err = open(func(id int, n notice) { d.report(s, id, n) }); err != nil {
			return nil, 0, err
		}
		d.used = s
	}
	d.used.adds++
	return d.used, d.used.notices, nil
}

// added takes note of what came of add, which was announced when so many notices had come.
func (d *Dirs) added(s *session, id int, w *waiter, from uint64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		s.enter(id, w, from)
	}
	if s.adds--; s.adds == 0 {
		clear(s.since)
	}
	d.settle(s)
}

func (d *Dirs) stop(s *session, id int, w *waiter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.leave(id, w) {
		d.settle(s)
	}
}

// report is a session's sink.
func (d *Dirs) report(s *session, id int, n notice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.tell(id, n)
	if n == broken && d.used == s {
		d.used = nil
	}
	if n != changed {
		d.settle(s)
	}
}

// settle ends what is wanted no longer. d.mu is held, and let go of for the calls: they take their time.
func (d *Dirs) settle(s *session) {
	for s.adds == 0 && !s.sweeping && len(s.idle) > 0 {
		ids := s.unwanted()
		s.sweeping = true
		d.mu.Unlock()
		for _, id := range ids {
			s.src.drop(id)
		}
		d.mu.Lock()
		s.sweeping = false
		s.swept.Broadcast()
	}
	if s.unused() {
		if s.timer == nil {
			s.timer = time.AfterFunc(Linger, func() { d.closeUnused(s) })
		} else {
			s.timer.Reset(Linger)
		}
	}
}

func (d *Dirs) closeUnused(s *session) {
	d.mu.Lock()
	due := s.unused() && !s.closed
	if due {
		s.closed = true
		if d.used == s {
			d.used = nil
		}
	}
	d.mu.Unlock()
	if due {
		s.src.close()
	}
}
