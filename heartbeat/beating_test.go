package heartbeat

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestBeatsKeepTheInterval(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, nil)
		time.Sleep(60 * time.Second)
		g.b.Stop()
		g.r.want(t)
		sent := g.t.sent()
		if len(sent) != 60 {
			t.Fatalf("%d beats in a minute", len(sent))
		}
		for i := 1; i < len(sent); i++ {
			if d := sent[i] - sent[i-1] - time.Second; d.Abs() > 2*time.Microsecond {
				t.Errorf("beat %d came %v off", i, d)
			}
		}
		settled(t, g.s)
	})
}

// A beat that takes long does not make the next one later, as long as it takes less than a heartbeat.
func TestIntervalCountsFromTheStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) { g.t.touch = func() error { time.Sleep(900 * time.Millisecond); return nil } })
		time.Sleep(20 * time.Second)
		g.b.Stop()
		if n := len(g.t.sent()); n != 20 {
			t.Errorf("%d beats in 20 s", n)
		}
		time.Sleep(time.Second)
	})
}

func TestBeatsSpreadOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		const n, together = 2000, 2000/32 + 1 // those that are due within a thirty-second are sent together
		var ts []*fakeTarget
		var bs []*Beat
		for range n {
			tt := &fakeTarget{c: c}
			ts = append(ts, tt)
			bs = append(bs, s.Start("m", tt, usual, 0, epoch, Events{}))
		}
		count := func(from time.Duration) (buckets [10]int) {
			for _, tt := range ts {
				for j, at := range tt.sent() {
					if at < from || at >= from+time.Second {
						continue
					}
					buckets[(at-from)/(100*time.Millisecond)]++
					if off := at - tt.sent()[j-1] - time.Second; off.Abs() > usual.early()+2*time.Microsecond {
						t.Errorf("a beat was %v off", off)
					}
				}
			}
			return buckets
		}
		time.Sleep(3 * time.Second)
		for i, b := range count(2 * time.Second) {
			if b < 200-together || b > 200+together {
				t.Errorf("%d beats in tenth %d, want some 200", b, i)
			}
		}
		// A hang makes all of them late at once; then they are spread again.
		hung := make(chan struct{})
		for _, tt := range ts {
			tt.onTouch(func() error { <-hung; return nil })
		}
		time.Sleep(5500 * time.Millisecond)
		close(hung)
		time.Sleep(3 * time.Second)
		for _, tt := range ts {
			// After the hang: the beat that was late and the one at its usual place, in whatever is left of that second.
			late := 0
			for _, at := range tt.sent() {
				if at >= 8500*time.Millisecond && at < 9500*time.Millisecond-2*usual.early() {
					late++
				}
			}
			if late < 1 || late > 2 {
				t.Errorf("%d beats in the second after the hang", late)
			}
		}
		for i, b := range count(10 * time.Second) {
			if b < 200-together || b > 200+together {
				t.Errorf("after a hang: %d beats in tenth %d, want some 200", b, i)
			}
		}
		for _, b := range bs {
			b.Stop()
		}
		settled(t, s)
	})
}

func TestOneBeatInFlight(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) { g.t.touch = func() error { time.Sleep(3500 * time.Millisecond); return nil } })
		time.Sleep(35 * time.Second)
		g.b.Stop()
		synctest.Wait()
		if g.t.most != 1 {
			t.Errorf("%d calls at once", g.t.most)
		}
		if n := len(g.t.sent()); n != 10 {
			t.Errorf("%d beats in 35 s of 3.5 s each", n)
		}
		g.r.want(t)
		time.Sleep(4 * time.Second)
	})
}

// A good answer to a beat, or to its read-back, that comes after Stop and within the lease does not set it going again.
// Settings that nobody should use beat at the shortest interval there is.
func TestStartWithBadSettings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, set := range []Settings{{}, {-time.Second, -time.Minute}, {1, time.Second}} {
			c := newClock()
			s := New(c)
			tt := &fakeTarget{c: c}
			b := s.Start("m", tt, set, 0, epoch, Events{})
			time.Sleep(time.Second)
			b.Stop()
			if n := len(tt.sent()); n > 100 {
				t.Errorf("%+v: %d beats in a second", set, n)
			}
			settled(t, s)
		}
	})
}

// What waits behind a hanging mount and is stopped must not be beaten when the mount comes back.
// Beats and the watchdog of two schedulers in one bubble never share an instant.
func TestSlotsKeepApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		seen := map[time.Duration]string{}
		for n := range 256 {
			s := New(c, Slot(uint8(n)))
			for name, a := range map[string]*alarm{"beats": &s.beats, "dog": &s.dog} {
				for _, at := range []time.Duration{0, 1, 1023, 1024, 5 * time.Second} {
					if got := a.after(at); got < at || got >= at+quantum || a.after(got) != got {
						t.Fatalf("after(%d) = %d", at, got)
					}
				}
				at := a.after(time.Second)
				if other := seen[at]; other != "" {
					t.Fatalf("%s of slot %d shares its instant with %s", name, n, other)
				}
				seen[at] = name
			}
		}
		tt := &fakeTarget{c: c}
		s := New(c, Slot(7))
		b := s.Start("m", tt, usual, 0, epoch, Events{})
		time.Sleep(10 * time.Second)
		b.Stop()
		if slices.ContainsFunc(tt.sent(), func(at time.Duration) bool { return at%quantum != 4*7+1 }) {
			t.Errorf("beats at %v, outside of their slot", tt.sent())
		}
	})
}
