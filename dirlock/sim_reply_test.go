package dirlock

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// mkdir made the directory and said that it was there: nobody claims it, TryAcquire says that it waits for somebody to stamp
// it, and whoever waits has it by the mtime rule.
func TestSimMkdirUnheard(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EEXIST, syscall.EINTR} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			a.on(first(1, "mkdir", unheard(errno)))
			l, err := a.mutex().TryAcquire()
			if held, ok := errors.AsType[*HeldError](err); l != nil || !ok || held.Holder != nil {
				t.Fatalf("%v: %v %v", errno, l, err)
			}
			between(t, "the repair", since(func() { l = b.acquire(time.Minute) }), 30*time.Second, repairBound)
			b.release(l)
			s.nothingLeft()
		})
	}
}

// A mkdir that was interrupted and had no effect is tried again.
func TestSimMkdirInterrupted(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.on(first(1, "mkdir", fail(syscall.EINTR)))
		l, err := a.mutex().TryAcquire()
		s.must(err)
		a.release(l)
		s.nothingLeft()
	})
}

// A fault that waiting does not mend comes back at once; if it was not quite true, the mtime rule repairs.
func TestSimMkdirFails(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EACCES, syscall.EROFS, syscall.ENOSPC, syscall.ETIMEDOUT} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			a.on(first(1, "mkdir", unheard(errno)))
			between(t, "the error", since(func() {
				_, err := a.mutex().Acquire(context.Background())
				if _, ok := errors.AsType[*fs.PathError](err); !ok || !errors.Is(err, errno) || errors.Is(err, ErrHeld) {
					t.Errorf("%v: %v", errno, err)
				}
			}), 0, 0)
			var l *Lock
			between(t, "the repair", since(func() { l = a.acquire(time.Minute) }), 0, repairBound)
			a.release(l)
			s.nothingLeft()
		})
	}
}

// The stamp is gone and the answer says that there was none: while the lease runs that was our own doing, afterwards nobody
// knows.
func TestSimReleaseUnheard(t *testing.T) {
	for _, late := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			l := a.acquire(0)
			a.leave()
			a.on(first(1, "unlink dirlock-1", func(op faultfs.Op) (func(error) error, error) {
				after, _ := unheard(syscall.ENOENT)(op)
				return func(err error) error {
					if late {
						time.Sleep(21 * time.Second)
					}
					return after(err)
				}, nil
			}))
			err := l.Release()
			if late != errors.Is(err, ErrLost) || !late && err != nil {
				t.Errorf("late %v: %v", late, err)
			}
			if !late {
				s.nothingLeft()
			}
		})
	}
}

// A withdrawal from a directory with another stamp in it, whose unlink has its effect and says otherwise.
func TestSimWithdrawUnheard(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		other := s.forge("two", 7)
		a.on(all(
			first(1, "create dirlock-1", then(func() { other.plant("") })),
			first(1, "unlink dirlock-1", unheard(syscall.ENOENT)),
		))
		_, err := a.mutex().TryAcquire()
		if held, ok := errors.AsType[*HeldError](err); !ok || held.Problem != nil {
			t.Fatalf("%v", err)
		}
		if names := s.names(); len(names) != 1 || names[0] != other.name {
			t.Errorf("on disk: %q", names)
		}
	})
}

// A withdrawal whose unlink fails leaves a stray: the caller is told, and it is removed a moment later, or by the very next
// look of this process.
func TestSimWithdrawFails(t *testing.T) {
	for _, atSight := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("one")
			other := s.forge("two", 7)
			a.on(all(
				first(1, "create dirlock-1", then(func() { other.plant("") })),
				first(2, "unlink dirlock-1", fail(syscall.EIO)),
			))
			_, err := a.mutex().TryAcquire()
			if !errors.Is(err, ErrHeld) || !errors.Is(err, syscall.EIO) {
				t.Fatalf("%v", err)
			}
			if n := len(s.names()); n != 2 {
				t.Fatalf("on disk: %q", s.names())
			}
			s.must(s.server.Local().Unlink(other.path))
			if atSight {
				l, err := a.mutex().TryAcquire()
				s.must(err)
				a.release(l)
			} else {
				time.Sleep(1100 * time.Millisecond)
				s.nothingLeft()
				b.release(b.acquire(0))
			}
			s.nothingLeft()
		})
	}
}

// A listing that fails after the create: withdrawn, told, tried again.
func TestSimListFails(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.on(first(1, "list", fail(syscall.EIO)))
		_, err := a.mutex().TryAcquire()
		if !errors.Is(err, ErrHeld) || !errors.Is(err, syscall.EIO) {
			t.Errorf("%v", err)
		}
		s.nothingLeft()
		a.on(first(3, "list", fail(syscall.EIO)))
		a.release(a.acquire(0))
		s.nothingLeft()
	})
}

// Where a directory vanishes under our hands, whichever call hears of it, the protocol starts again.
func TestSimVanishes(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOENT, syscall.ESTALE} {
		for _, call := range []string{"opendir lock", "traits lock", "chmod lock", "create dirlock-1", "setmtime", "touch dirlock-1", "stat dirlock-1"} {
			t.Run(call+"/"+errno.Error(), func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					a := s.proc("one")
					a.on(first(1, call, func(op faultfs.Op) (func(error) error, error) {
						c := s.server.Local() // a late rmdir
						for _, name := range s.names() {
							_ = c.Unlink(path.Join(simPath, name))
						}
						_ = c.Rmdir(simPath)
						return nil, errno
					}))
					m := a.mutex()
					m.Mode = 0o750
					l, err := m.TryAcquire()
					s.must(err)
					if n := a.did(call); n < 2 && call != "setmtime" {
						t.Errorf("%d calls of %s: not tried", n, call)
					}
					a.release(l)
					s.nothingLeft()
				})
			})
		}
	}
}
