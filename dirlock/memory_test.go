package dirlock

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A waiter for a lock that changes hands all the time, and callers that give up on it, keep no memory of those who had it.
func TestBusyLockFillsNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 300 {
				l, err := a.mutex().Acquire(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(30 * time.Millisecond)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		}()
		b.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "mkdir" {
				return nil, syscall.EEXIST // it always comes too late
			}
			return nil, nil
		})
		for _, wait := range []time.Duration{5 * time.Second, 25 * time.Millisecond, 3 * time.Second} {
			m := b.mutex()
			m.Wait = wait
			if l, err := m.Acquire(context.Background()); err == nil {
				t.Error("it came too late, and got it")
				_ = l.Release()
			}
		}
		<-done
		b.process.mu.Lock()
		defer b.process.mu.Unlock()
		if n := len(b.memories); n > 1 {
			t.Errorf("%d memories of one path", n)
		}
		for path, m := range b.memories {
			if len(m.watched) > 2 {
				t.Errorf("%s: %d stamps are remembered", path, len(m.watched))
			}
		}
		if len(b.own) != 0 || len(b.strays) != 0 || len(b.paths.m)+len(b.lines.m) != 0 {
			t.Errorf("left: %d own, %d strays, %d slots", len(b.own), len(b.strays), len(b.paths.m)+len(b.lines.m))
		}
	})
}

// Where an age can only be observed, a waiter whose turn comes goes on from what the one before it saw; and one that never came to
// look, and gives up, takes nothing away from that.
func TestNextInLineGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		s.ghost(time.Hour, stamp.ClockHolder)
		b := s.newcomer("two", 0)
		acquire := func(wait time.Duration) (l *Lock, err error) {
			m := b.mutex()
			m.Wait = wait
			return m.Acquire(t.Context())
		}
		go acquire(20 * time.Second) // looks
		time.Sleep(time.Millisecond)
		go acquire(5 * time.Second) // never comes to look
		time.Sleep(time.Millisecond)
		var l *Lock
		var err error
		took := since(func() { l, err = acquire(-1) })
		if err != nil {
			t.Fatal(err)
		}
		between(t, "the lock", took, 29*time.Second, 31*time.Second)
		b.sound(l)
	})
}
