package dirlock

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// ended returns how long after now the lock's context ends, or fails the test after limit. What others wrote until then may be
// read afterwards.
func ended(t *testing.T, l *Lock, limit time.Duration) time.Duration {
	t.Helper()
	return since(func() {
		select {
		case <-l.Context().Done():
		case <-time.After(limit):
			t.Fatal("the context does not end")
		}
		synctest.Wait()
	})
}

// A beat hangs, and its effect comes to pass: the lease counts from before it was sent, and ends though the call hangs on.
func TestLeaseEndsWhileABeatHangs(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		l := a.acquire(0)
		time.Sleep(5 * time.Second)
		var sent time.Time
		a.on(at(1, func(faultfs.Op) (func(error) error, error) {
			sent = time.Now()
			return func(err error) error { time.Sleep(25 * time.Second); return err }, nil
		}))
		ended(t, l, time.Minute)
		lasted := time.Since(sent)
		between(t, "the end of the lease", lasted, 18900*time.Millisecond, 20*time.Second)
		if cause := context.Cause(l.Context()); !errors.Is(cause, ErrLost) {
			t.Error("cause:", cause)
		}
		b.acquire(time.Minute) // the judge is enter: the first one's context has ended
		if err := l.Release(); !errors.Is(err, ErrLost) {
			t.Error("Release:", err)
		}
		if n := len(s.names()); n != 1 {
			t.Errorf("the successor's stamp was harmed: %q", s.names())
		}
	})
}

// One failing beat is nothing; failing for the whole lease is a loss.
func TestFailingBeats(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		a.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "touch" {
				a.on(nil)
				return nil, syscall.EIO
			}
			return nil, nil
		})
		time.Sleep(time.Minute)
		if err := l.Check(); err != nil {
			t.Fatal("after one EIO:", err)
		}
		a.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "touch" {
				return nil, syscall.EIO
			}
			return nil, nil
		})
		between(t, "the loss", ended(t, l, time.Minute), 18*time.Second, 20*time.Second)
		a.on(nil)
		if err := l.Release(); !errors.Is(err, ErrLost) {
			t.Error("Release:", err)
		}
		s.nothingLeft()
	})
}

// A host that slept through its lease, with nobody interested, goes on under a new name.
func TestTakenAnewAfterSleep(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		old := l.Stamp()
		time.Sleep(1500 * time.Millisecond)
		a.suspend(time.Hour)
		if err := l.Check(); err != nil {
			t.Fatal("Check:", err)
		}
		if l.Stamp().UUID == old.UUID {
			t.Error("the lapsed name was kept: somebody may have judged it")
		}
		if names := s.names(); len(names) != 1 || names[0] != l.Stamp().Name() {
			t.Errorf("on disk: %q", names)
		}
		time.Sleep(time.Minute)
		if err := l.Release(); err != nil {
			t.Error("Release:", err)
		}
		s.nothingLeft()
	})
}

// A file system that does not answer after the sleep: lost within a heartbeat, and what succeeds late is undone.
func TestTakingAnewWithoutAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		time.Sleep(1500 * time.Millisecond)
		a.on(at(3, func(faultfs.Op) (func(error) error, error) { time.Sleep(10 * time.Second); return nil, nil }))
		a.suspend(time.Hour)
		var err error
		between(t, "the answer", since(func() { err = l.Check() }), 900*time.Millisecond, 1100*time.Millisecond)
		if !errors.Is(err, ErrLost) {
			t.Error("Check:", err)
		}
		_ = l.Release()
		time.Sleep(20 * time.Second)
		s.nothingLeft()
	})
}

// A holder on another host that is held up between its create and its listing for longer than its lease withdraws.
func TestHeldUpBeforeTheListing(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "list" {
				a.on(nil)
				time.Sleep(25 * time.Second) // the lease is over; nobody has evicted it yet
			}
			return nil, nil
		})
		m := a.mutex()
		m.Wait = 40 * time.Second
		l, err := m.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if left := l.beat.Remaining(); left < 19*time.Second {
			t.Errorf("it holds by a stamp whose lease began before the delay: %v left", left)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
		s.nothingLeft()
	})
}
