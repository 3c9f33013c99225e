package heartbeat

import (
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
