package dirlock

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// drop lays a dropping into the lock directory, as a desktop does that looks at it.
func (s *sim) drop(name string) fault {
	return then(func() { _ = s.server.Local().Create(path.Join(simPath, name), nil, 0o644) })
}

// A removal that is slow, whichever of its calls, is finished: after what was cleared away another attempt follows, however late.
func TestSlowRemoval(t *testing.T) {
	const long = settleBound + settleBound/2
	for what, f := range map[string]func(s *sim) fault{
		"rmdir": func(s *sim) fault {
			return all(first(1, "rmdir", all(s.drop(".DS_Store"), slow(0, long))), every("rmdir", slow(0, long)))
		},
		"unlink": func(s *sim) fault { return all(first(1, "rmdir", s.drop("._x")), every("unlink ._", slow(long, 0))) },
		"list":   func(s *sim) fault { return all(first(1, "rmdir", s.drop("Thumbs.db")), every("list", slow(0, long))) },
		"droppings again and again": func(s *sim) fault {
			return all(first(2, "rmdir", all(s.drop("desktop.ini"), slow(long, 0))), every("rmdir", slow(0, long)))
		},
		"busy": func(s *sim) fault {
			return first(1, "rmdir", func(faultfs.Op) (func(error) error, error) { time.Sleep(long); return nil, syscall.EBUSY })
		},
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				l := a.acquire(0)
				a.on(f(s))
				a.release(l)
				s.nothingLeft()
			})
		})
	}
}

// What comes back as fast as it is cleared away ends in the mark of a free directory, and not in one that everybody waits for.
func TestDroppingsWithoutEnd(t *testing.T) {
	for _, took := range []time.Duration{0, time.Millisecond, settleBound + 1} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			l := a.acquire(0)
			const most = 500 // calls, where about 20 are meant
			calls := 0
			a.on(every("rmdir", func(op faultfs.Op) (func(error) error, error) {
				if calls++; calls > most {
					t.Errorf("a call of %v: the removal was tried %d times, and has no end", took, most)
					return nil, syscall.EIO
				}
				time.Sleep(took)
				return s.drop(".DS_Store")(op)
			}))
			between(t, "the release", since(func() { a.release(l) }), 0, settleBound+4*took+200*time.Millisecond)
			if names := s.names(); !slices.Contains(names, stamp.Vacant) {
				t.Errorf("a call of %v: left: %q", took, names)
			}
			l, err := b.mutex().TryAcquire()
			s.must(err)
			b.release(l)
		})
	}
}

// A directory that somebody else removed while it was being looked at is as gone as it was to be.
func TestRemovedMeanwhile(t *testing.T) {
	for _, call := range []string{"opendir", "list", "unlink ._", "create dirlock-vacant"} {
		for _, errno := range []syscall.Errno{syscall.ENOENT, syscall.ESTALE} {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				l := a.acquire(0)
				junk := "._x"
				if call == "create dirlock-vacant" {
					junk = "report.txt"
				}
				a.on(first(1, "rmdir", all(s.drop(junk), afterwards(func() {
					a.on(first(1, call, func(faultfs.Op) (func(error) error, error) {
						s.must(s.server.Local().Unlink(path.Join(simPath, junk)), s.server.Local().Rmdir(simPath))
						return nil, errno
					}))
				}))))
				a.release(l)
				s.nothingLeft()
			})
		}
	}
}

// On a mount where removed entries are there for a moment, each refusal has its own second: one that passed long ago does not make
// the next one a fault.
func TestRefusalLongAfterAnother(t *testing.T) {
	for _, between := range []string{"held", "had"} {
		t.Run(between, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.newcomer("one", 0), s.newcomer("two", 0)
				time.Sleep(time.Minute) // zero on a clock means never
				refuse := first(1, "mkdir lock", fail(syscall.EACCES))
				b.on(refuse)
				var l *Lock
				if between == "held" {
					l = a.acquire(0)
				} else { // the directory was made and lost again: back to mkdir within one call
					var vanished fault = func(op faultfs.Op) (func(error) error, error) {
						time.Sleep(2 * deletePending)
						_ = s.server.Local().Rmdir(simPath)
						b.on(first(1, "mkdir lock", fail(syscall.EACCES)))
						return nil, syscall.ENOENT
					}
					b.on(all(refuse, first(1, "opendir lock", vanished)))
				}
				go func() {
					if l == nil {
						return
					}
					time.Sleep(time.Minute)
					b.on(first(1, "mkdir lock", fail(syscall.EACCES)))
					time.Sleep(5 * time.Second)
					a.leave()
					a.release(l)
				}()
				m := b.mutex()
				m.Wait = 2 * time.Minute
				won, err := m.Acquire(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				b.enter(won)
				b.sound(won)
			})
		})
	}
}

// One that stands for a second is a fault.
func TestRefusalThatStands(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		b := s.newcomer("two", 0)
		b.on(every("mkdir lock", fail(syscall.EACCES)))
		between(t, "the error", since(func() {
			if _, err := b.mutex().Acquire(context.Background()); !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrHeld) {
				t.Error(err)
			}
		}), deletePending, deletePending+lastPoll)
	})
}
