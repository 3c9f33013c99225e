package dirlock

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// A hang is a mount that does not answer some calls until it is healed.
type hang struct {
	healed chan struct{}
	inside atomic.Int32 // calls that are stuck
}

// hangs makes the calls of p that begin with one of these hang.
func hangs(p *simProc, calls ...string) *hang {
	h := &hang{healed: make(chan struct{})}
	stick := func(faultfs.Op) (func(error) error, error) {
		h.inside.Add(1)
		<-h.healed
		h.inside.Add(-1)
		return nil, nil
	}
	var faults []fault
	for _, call := range calls {
		faults = append(faults, every(call, stick))
	}
	p.on(all(faults...))
	return h
}

// stuck fails the test unless exactly one call is.
func (h *hang) stuck(t *testing.T) {
	t.Helper()
	synctest.Wait()
	if n := h.inside.Load(); n != 1 {
		t.Errorf("%d calls are stuck, want 1", n)
	}
}

// heal makes all calls answer, and waits until nothing moves any more.
func (h *hang) heal() {
	close(h.healed)
	synctest.Wait()
}

// However many want a path that does not even resolve, one call is stuck. Each leaves when its own wait is over, by whatever ends
// it; those who still wait when it answers have the lock in turn, and nothing is left of the others.
func TestHangingResolve(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		h := hangs(a, "resolve")
		const healed = 30*time.Second + 500*time.Millisecond
		var had atomic.Int32
		var callers sync.WaitGroup
		for i := range 50 {
			limit := time.Duration(i+1) * time.Second
			callers.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				m := a.mutex()
				m.Wait = limit
				switch i % 3 {
				case 1:
					ctx, cancel = context.WithTimeout(ctx, limit)
					defer cancel()
				case 2:
					m.Wait = -1
					time.AfterFunc(limit, cancel)
				}
				var l *Lock
				var err error
				took := since(func() { l, err = m.Acquire(ctx) })
				if err == nil {
					had.Add(1)
					a.enter(l)
					a.leave()
					a.release(l)
					return
				}
				if limit > healed || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
					t.Errorf("limit %v: %v", limit, err)
				}
				between(t, "the end of the wait", took, limit, limit+grace)
			})
		}
		for range 29 {
			time.Sleep(time.Second)
			h.stuck(t)
		}
		if _, err := a.mutex().TryAcquire(); !errors.Is(err, context.DeadlineExceeded) {
			t.Error("TryAcquire:", err)
		}
		time.Sleep(healed - 29*time.Second - tryBound - grace)
		h.heal()
		callers.Wait()
		if n := had.Load(); n != 20 {
			t.Errorf("%d had the lock, want the 20 who still waited", n)
		}
		a.sound(a.acquire(0))
	})
}

// A path that hangs keeps nobody from another one, nor one who names the same directory otherwise.
func TestHangingResolveOfOnePath(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		s.must(s.server.Local().Mkdir("/dir", 0o755))
		h := hangs(a, "resolve stuck")
		go func() {
			m := a.mutex()
			m.Path = "/stuck"
			if _, err := m.Acquire(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}()
		h.stuck(t)
		for _, p := range []string{simPath, "/dir/../lock", "/dir/lock"} {
			m := a.mutex()
			m.Path = p
			l, err := m.TryAcquire()
			s.must(err)
			a.release(l)
		}
		time.Sleep(defaultWait + 2*grace)
		h.heal()
		if s.there("/stuck") {
			t.Error("nobody waits for it any more, and it was made")
		}
	})
}

// The mount begins to hang while many wait for a holder elsewhere: one call is stuck, be it to look, to read who holds the lock, or
// to sweep what was needed beside it in order to ask what time it is.
func TestHangsWhileManyWait(t *testing.T) {
	for _, c := range []struct {
		what  string
		local bool
		after time.Duration
		calls string
	}{
		{"everything", false, 5 * time.Second, ""},
		{"everything, before it was asked for the time", false, 0, ""},
		{"reading", true, 0, "read"},
	} {
		t.Run(c.what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.proc("one"), s.proc("two")
				a.client.Kind.Local, b.client.Kind.Local = c.local, c.local
				l := a.acquire(0)
				var callers sync.WaitGroup
				for range 50 {
					callers.Go(func() {
						var err error
						took := since(func() { _, err = b.mutex().Acquire(t.Context()) })
						if held, ok := errors.AsType[*HeldError](err); !ok || held.Holder == nil || held.Holder.PID != a.id.PID {
							t.Error(err)
						}
						between(t, "the end of the wait", took, defaultWait, defaultWait+grace)
					})
				}
				time.Sleep(c.after + time.Millisecond)
				h := hangs(b, c.calls)
				time.Sleep(time.Second)
				h.stuck(t)
				callers.Wait()
				h.stuck(t)
				h.heal()
				b.on(nil)
				time.Sleep(defaultWait)
				a.sound(l)
			})
		})
	}
}

// A resolve that fails gives its slot back.
func TestResolveFails(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.on(first(3, "resolve", fail(syscall.EACCES)))
		for range 3 {
			if _, err := a.mutex().TryAcquire(); !errors.Is(err, syscall.EACCES) {
				t.Error(err)
			}
		}
		a.sound(a.acquire(0))
		synctest.Wait() // a Check gives its own back behind its caller's back
		if n := len(a.paths.m) + len(a.process.mounts.m) + len(a.lines.m); n != 0 {
			t.Errorf("%d slots and lines are left", n)
		}
	})
}

// A done context wins over a slot that is free: a bubble would draw lots.
func TestSlotsAndADoneContext(t *testing.T) {
	s := slots{m: map[string]*slot{}}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if s.enter(done, "p", 1) != nil {
			t.Fatal("a slot for one who does not wait any more")
		}
	}
	s.enter(t.Context(), "p", 1)()
	if len(s.m) != 0 {
		t.Errorf("%d slots and lines are left", len(s.m))
	}
}
