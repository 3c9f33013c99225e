package dirlock

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// lose returns a hook for the next call that matches: it has its effect, and answers err, as the second try does whose first
// reply was lost.
func lose(p *simProc, match string, err error) {
	p.on(func(op faultfs.Op) (func(error) error, error) {
		if !strings.HasPrefix(op.String(), match) {
			return nil, nil
		}
		p.on(nil)
		return func(error) error { return &fs.PathError{Op: op.Call, Path: op.Path, Err: err} }, nil
	})
}

func TestLostReplies(t *testing.T) {
	t.Run("mkdir", func(t *testing.T) { // our own directory looks like somebody's: never success, but repaired
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			lose(a, "mkdir", syscall.EEXIST)
			between(t, "the repair", since(func() { a.acquire(2 * time.Minute) }), 30*time.Second, 31*time.Second)
		})
	})
	t.Run("create", func(t *testing.T) { // our own uuid: it is ours
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			lose(a, "create", syscall.EEXIST)
			l := a.acquire(0)
			if err := l.Release(); err != nil {
				t.Error(err)
			}
			s.nothingLeft()
		})
	})
	t.Run("release", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			l := a.acquire(0)
			lose(a, "unlink", syscall.ENOENT)
			if err := l.Release(); err != nil {
				t.Error("a lost reply is no loss:", err)
			}
			s.nothingLeft()
		})
	})
	t.Run("evict", func(t *testing.T) {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("one")
			a.acquire(0)
			a.die()
			time.Sleep(10 * time.Second)
			lose(b, "unlink", syscall.ENOENT)
			if err := b.acquire(0).Release(); err != nil {
				t.Error(err)
			}
			s.nothingLeft()
		})
	})
}

// A create that answers EIO may land all the same, at once or later: our own name is never left behind alive.
func TestStrays(t *testing.T) {
	for name, late := range map[string]time.Duration{"at once": 0, "later": 5 * time.Second} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.proc("one"), s.proc("one")
				a.on(func(op faultfs.Op) (func(error) error, error) {
					if op.Call != "create" {
						return nil, nil
					}
					a.on(nil)
					if late == 0 {
						return func(error) error { return &fs.PathError{Op: op.Call, Path: op.Path, Err: syscall.EIO} }, nil
					}
					time.AfterFunc(late, func() {
						_ = a.client.Mkdir(simPath, 0o755)
						_ = a.client.Create(op.Path, nil, 0o644)
					})
					return nil, syscall.EIO
				})
				if _, err := a.mutex().Acquire(context.Background()); !errors.Is(err, syscall.EIO) {
					t.Fatal(err)
				}
				time.Sleep(late + 3*time.Second)
				s.nothingLeft() // the process lives, and its kernel would vouch for it
				if err := b.acquire(0).Release(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A withdrawal that fails leaves a stray; the next look of the same process removes it.
func TestStrayIsRemovedAtSight(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		a.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "unlink" {
				return nil, syscall.EIO
			}
			return nil, nil
		})
		if err := l.Release(); !errors.Is(err, syscall.EIO) {
			t.Fatal("Release:", err)
		}
		a.leave()
		a.on(nil)
		between(t, "the next acquisition", since(func() { l = a.acquire(0) }), 0, 50*time.Millisecond)
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		s.nothingLeft()
	})
}

// Only "no such file", or no links, means that a listed stamp is gone. Anything else counts as present.
func TestUnknownIsPresent(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ESTALE, syscall.EIO, syscall.EACCES, syscall.ETIMEDOUT} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			l := a.acquire(0)
			b.on(func(op faultfs.Op) (func(error) error, error) {
				if op.Call == "stat" && strings.Contains(op.Path, "dirlock-") {
					return nil, errno
				}
				return nil, nil
			})
			m := b.mutex()
			m.Wait = 2 * time.Minute
			_, err := m.Acquire(context.Background())
			if !errors.Is(err, ErrHeld) || !errors.Is(err, errno) {
				t.Errorf("%v: %v", errno, err)
			}
			if err := l.Release(); err != nil {
				t.Error(err)
			}
			if _, err := s.server.Local().Stat(simPath); !fsys.Is(err, fsys.NotExist) {
				t.Error("left behind:", err)
			}
		})
	}
}
