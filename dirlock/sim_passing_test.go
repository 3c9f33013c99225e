package dirlock

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A server errs once while the lock is given back, with the call's effect or without it: nothing is left, and nobody has to know.
func TestSimRemovalFailsOnce(t *testing.T) {
	for _, call := range []string{"unlink dirlock-1", "rmdir lock"} {
		for what, f := range map[string]fault{"no effect": fail(syscall.EIO), "its effect": unheard(syscall.EIO)} {
			t.Run(call+"/"+what, func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					a := s.proc("one")
					l := a.acquire(0)
					a.on(first(1, call, f))
					between(t, "the release", since(func() { a.release(l) }), 0, settleBound)
					s.nothingLeft()
				})
			})
		}
	}
}

// So once while a directory without a lock is looked through.
func TestSimClearingFailsOnce(t *testing.T) {
	for _, call := range []string{"opendir lock", "list lock"} {
		t.Run(call, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				l := a.acquire(0)
				a.on(first(1, "rmdir", all(s.drop(".DS_Store"), afterwards(func() { a.on(first(1, call, fail(syscall.EIO))) }))))
				a.release(l)
				s.nothingLeft()
			})
		})
	}
}

// A directory that takes no stamp, because it is stale and yet there: whoever waits for it says what the system said, unless
// somebody else is seen in it.
func TestSimStaleCreates(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.on(every("create dirlock-1", fail(syscall.ESTALE)))
		m := a.mutex()
		m.Wait = 2 * time.Second
		l, err := m.Acquire(context.Background())
		if held, ok := errors.AsType[*HeldError](err); l != nil || !ok || held.Holder != nil || !errors.Is(err, syscall.ESTALE) {
			t.Errorf("%v, %v", l, err)
		}
		s.must(s.server.Local().Rmdir(simPath))
		a.on(first(1, "create dirlock-1", all(then(func() { s.forge("two", 7).plant("") }), fail(syscall.ESTALE))))
		if _, err = a.mutex().TryAcquire(); !errors.Is(err, ErrHeld) || errors.Is(err, syscall.ESTALE) {
			t.Error("it is held, and nothing else is in the way:", err)
		}
		a.on(nil)
	})
}

// numbered is a file system that knows how often what is mounted has changed.
type numbered struct {
	fsys.FS
	mounts *atomic.Uint64
}

func (f numbered) Mounts() uint64 { return f.mounts.Load() }

// That heartbeats move something is found out once, and once more when the mount may be another one with the same number.
func TestSimBeatsCheckedOnEachMount(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		var mounts atomic.Uint64
		a.World.FS = numbered{a.World.FS, &mounts}
		for _, want := range []int{1, 1, 2, 2} {
			if want == 2 {
				mounts.Store(1)
			}
			a.release(a.acquire(0))
			if n := a.did("setmtime"); n != want {
				t.Errorf("checked %d times, want %d", n, want)
			}
		}
	})
}
