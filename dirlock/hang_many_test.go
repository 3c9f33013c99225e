package dirlock

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

// A process that wakes up after its leases have run out, with a mount that does not answer: each of its thousand locks is lost
// in time, and four calls hang.
func TestManyLapsedOnAHungMount(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.onMounts("hung")
		const n = 1000
		var locks []*Lock
		for i := range n {
			l, err := a.at("/hung/path%d", i).TryAcquire()
			s.must(err)
			locks = append(locks, l)
		}
		h := hangsBelow(a, "/hung")
		a.suspend(25 * time.Second)
		woken := time.Now()
		for _, l := range locks {
			<-l.Context().Done()
			if cause := context.Cause(l.Context()); !errors.Is(cause, ErrLost) {
				t.Fatal(cause)
			}
		}
		between(t, "the loss of all", time.Since(woken), 0, 2*defaultHeartbeat+leastAnswer)
		h.holds(t, mostStuck)
		h.heal()
		a.on(nil)
		for _, l := range locks {
			_ = l.Release()
		}
		time.Sleep(time.Minute)
		s.fresh()
		a.idle()
	})
}

// Strays on a mount that hangs keep those on another one from nothing.
func TestStraysOnAHungMount(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.onMounts("a-hung", "other") // strays are chased in the order of their names
		var locks []*Lock
		for i := range 10 {
			for _, mount := range []string{"a-hung", "other"} {
				l, err := a.at("/%s/path%d", mount, i).TryAcquire()
				s.must(err)
				locks = append(locks, l)
			}
		}
		a.on(every("unlink dirlock-1", fail(syscall.EIO)))
		for _, l := range locks {
			if err := l.Release(); !errors.Is(err, syscall.EIO) {
				t.Error(err)
			}
		}
		h := hangsBelow(a, "/a-hung")
		time.Sleep(2 * strayEvery)
		h.holds(t, 1)
		if left := s.namesIn("/other"); len(left) != 0 {
			t.Errorf("left: %q", left)
		}
		time.Sleep(10 * time.Second)
		h.holds(t, 1)
		h.heal()
		time.Sleep(2 * strayEvery)
		s.fresh()
		if a.sweeping() {
			t.Error("they are still being chased")
		}
		a.idle()
	})
}
