package heartbeat

import (
	"syscall"
	"testing"
	"time"
)

// A lock that starts without a known mtime reads it before its first beat, which then counts: with three heartbeats to
// Stale, a lease would not live to see the second one count.
func TestFirstBeatCountsThoughTheMtimeWasUnknown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s, r := New(c), &recorder{c: c}
		tight := Settings{Heartbeat: time.Second, Stale: 3 * time.Second}
		b := s.Start("m", &fakeTarget{c: c}, tight, 0, time.Time{}, r.events())
		time.Sleep(20 * time.Second)
		r.want(t)
		if b.Remaining() <= 0 {
			t.Error("lapsed")
		}
		b.Stop()
	})
}

// Where the mtime stands still, it does not count, and the lease ends.
func TestFirstBeatDoesNotCountWhereTheMtimeStandsStill(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s, r := New(c), &recorder{c: c}
		still := func(time.Time) (time.Time, error) { return epoch, nil }
		b := s.Start("m", &fakeTarget{c: c, mtime: still}, usual, 0, time.Time{}, r.events())
		time.Sleep(lease20 - time.Second)
		if left := b.Remaining(); left != time.Second {
			t.Errorf("%v remain: a beat counted", left)
		}
		time.Sleep(2 * time.Second)
		if len(r.all()) == 0 {
			t.Error("the lease did not end")
		}
	})
}

// What that first look finds is taken as after a beat: gone is gone, an error is retried, and a lease that ran out during it
// is not beaten any more.
func TestFirstLook(t *testing.T) {
	for _, c := range []struct {
		name   string
		look   func(*fakeClock) error
		events []string
		beats  int
	}{
		{"gone", func(*fakeClock) error { return ErrGone }, []string{"618.03ms gone"}, 0},
		{"error", func(*fakeClock) error { return syscall.EIO }, []string{"618.03ms failing: " + syscall.EIO.Error()}, 9},
		{"sleep", func(c *fakeClock) error { c.suspend(time.Hour); return nil }, []string{"1h0m0.61803s lapsed asleep=true"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				clock := newClock()
				s, r := New(clock), &recorder{c: clock}
				tt := &fakeTarget{c: clock}
				first := true
				tt.mtime = func(m time.Time) (time.Time, error) {
					if first {
						first = false
						return m, c.look(clock)
					}
					return m, nil
				}
				b := s.Start("m", tt, usual, 0, time.Time{}, r.events())
				time.Sleep(10 * time.Second)
				r.want(t, c.events...)
				if n := len(tt.sent()); n != c.beats {
					t.Errorf("%d beats, want %d", n, c.beats)
				}
				b.Stop()
				settled(t, s)
			})
		})
	}
}

// Stopped while that look hangs, no beat follows it.
func TestStopDuringTheFirstLook(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		hung := make(chan struct{})
		tt := &fakeTarget{c: c, mtime: func(m time.Time) (time.Time, error) { <-hung; return m, nil }}
		b := s.Start("m", tt, usual, 0, time.Time{}, Events{})
		time.Sleep(2 * time.Second)
		b.Stop()
		close(hung)
		time.Sleep(2 * time.Second)
		if n := len(tt.sent()); n != 0 {
			t.Errorf("%d beats", n)
		}
		settled(t, s)
	})
}
