package dirlock

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// since measures how long f takes in the bubble's time.
func since(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func between(t *testing.T, what string, got, least, most time.Duration) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("%s after %v, want %v to %v", what, got, least, most)
	}
}

func TestTakeoverSameHostDead(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		a.acquire(0)
		time.Sleep(10 * time.Second)
		a.die()
		var l *Lock
		between(t, "takeover", since(func() { l = b.acquire(0) }), 2*time.Second, 3300*time.Millisecond)
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		s.nothingLeft()
	})
}

func TestPausedIsNotDead(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		l := a.acquire(0)
		l.beat.Stop() // it is stopped: neither beats nor notices
		m := b.mutex()
		m.Wait = time.Hour
		if _, err := m.Acquire(context.Background()); !errors.Is(err, ErrHeld) {
			t.Fatal(err)
		}
		if names := s.names(); len(names) != 1 || names[0] != l.Stamp().Name() {
			t.Errorf("the stamp of a living process was touched: %q", names)
		}
		_ = l.Release()
	})
}

func TestTakeoverForeign(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		l.beat.Stop()
		ended := make(chan time.Duration, 1)
		start := time.Now()
		a.die()
		between(t, "takeover", since(func() { b.acquire(time.Minute) }), 30*time.Second, 31*time.Second)
		_, _ = ended, start
	})
}

// The mtime rule never decides at first sight, however old a heartbeat looks, and confirms within one call of 10 s.
func TestTakeoverForeignOldAtFirstSight(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		a.acquire(0)
		a.die()
		time.Sleep(time.Hour)
		if _, err := b.mutex().TryAcquire(); !errors.Is(err, ErrHeld) {
			t.Fatal("TryAcquire decided at first sight:", err)
		}
		between(t, "takeover", since(func() { b.acquire(0) }), 6*time.Second, 6500*time.Millisecond)
	})
}

// A wait that is shorter than the confirm window is extended once an owner was met that is silent for Stale already.
func TestWaitIsExtendedToConfirm(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		a.acquire(0)
		a.die()
		time.Sleep(time.Hour)
		between(t, "takeover", since(func() { b.acquire(2 * time.Second) }), 6*time.Second, 8300*time.Millisecond)
	})
	bubble(t, func(t *testing.T, s *sim) { // never past a context's deadline
		a, b := s.proc("one"), s.proc("two")
		a.acquire(0)
		a.die()
		time.Sleep(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		d := since(func() {
			if _, err := b.mutex().Acquire(ctx); !errors.Is(err, ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		between(t, "the end of the wait", d, 2*time.Second, 2*time.Second)
	})
}

// Moving is alive, whatever the time says that it moves to.
func TestMovingIsNeverTaken(t *testing.T) {
	for _, offset := range []time.Duration{-time.Hour, -time.Minute, time.Hour} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			a.client.Kind.Beats = fsys.ClockClient
			a.client.Offset = func() time.Duration { return offset }
			l := a.acquire(0)
			m := b.mutex()
			m.Wait = 10 * time.Minute
			if _, err := m.Acquire(context.Background()); !errors.Is(err, ErrHeld) {
				t.Fatal(offset, err)
			}
			if err := l.Release(); err != nil {
				t.Error(err)
			}
			s.nothingLeft()
		})
	}
}

// A heartbeat in the future has no age: it is taken once it was watched standing still for Stale.
func TestFutureHeartbeat(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		a.die()
		if err := a.client.SetMtime(simStamp(l), time.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
		between(t, "takeover", since(func() { b.acquire(2 * time.Minute) }), 30*time.Second, 31*time.Second)
	})
}

// Where beats carry the holder's own clock, age can only be observed: a caller that waits 10 s gives up, but what it saw
// serves the next ones.
func TestObservedAgeSurvivesTheCall(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		a.client.Kind.Beats, b.client.Kind.Beats = fsys.ClockClient, fsys.ClockClient
		a.acquire(0)
		a.die()
		total := since(func() {
			for range 3 {
				if l, err := b.mutex().Acquire(context.Background()); err == nil {
					b.enter(l)
					return
				}
			}
			t.Error("three waits of 10 s, and still not taken over")
		})
		between(t, "takeover", total, 30*time.Second, 37*time.Second)
	})
}

// A server's clock that steps while a waiter watches makes every heartbeat look old for a moment.
func TestServerClockStep(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		go func() {
			for range 20 {
				time.Sleep(7 * time.Second)
				s.server.Step(time.Hour)
			}
		}()
		m := b.mutex()
		m.Wait = 3 * time.Minute
		if _, err := m.Acquire(context.Background()); !errors.Is(err, ErrHeld) {
			t.Fatal(err)
		}
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

func TestThresholdsOfBothCount(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		ma := a.mutex()
		ma.Heartbeat, ma.Stale = 20*time.Second, 80*time.Second
		l, err := ma.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		a.enter(l)
		mb := b.mutex()
		mb.Heartbeat, mb.Stale, mb.Wait = 100*time.Millisecond, time.Second, 10*time.Minute
		if _, err := mb.Acquire(context.Background()); !errors.Is(err, ErrHeld) {
			t.Fatal("the impatient one robbed the patient one:", err)
		}
		a.die()
		between(t, "takeover", since(func() {
			l, err := mb.Acquire(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			b.enter(l)
		}), 60*time.Second, 82*time.Second)
	})
}
