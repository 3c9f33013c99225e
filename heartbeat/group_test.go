package heartbeat

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Ten thousand locks on a mount that hangs: four stuck calls, all leases end in time, and another mount feels nothing.
func TestHangingMount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		hung := make(chan struct{})
		var stuck, sent, lapsed, asleep atomic.Int64
		const n = 10_000
		bs := make([]*Beat, n)
		for i := range bs {
			bs[i] = s.Start("hangs", &fakeTarget{c: c, touch: func() error {
				sent.Add(1)
				stuck.Add(1)
				<-hung
				stuck.Add(-1)
				return nil
			}}, usual, 0, epoch, Events{Lapsed: func(a bool) {
				lapsed.Add(1)
				if a {
					asleep.Add(1)
				}
			}})
		}
		var healthy []*fakeTarget
		var hs []*Beat
		r := &recorder{c: c}
		for range 10 {
			tt := &fakeTarget{c: c}
			healthy = append(healthy, tt)
			hs = append(hs, s.Start("healthy", tt, usual, 0, epoch, r.events()))
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if got := stuck.Load(); got != 4 {
			t.Errorf("%d calls stuck, want 4", got)
		}
		if got := ours(); got != 4 {
			t.Errorf("%d goroutines for %d locks", got, n)
		}
		time.Sleep(lease20 - 15*time.Second + 2*time.Microsecond)
		synctest.Wait()
		if got := lapsed.Load(); got != n || asleep.Load() != 0 {
			t.Errorf("at the end of the leases %d told, %d asleep", got, asleep.Load())
		}
		close(hung)
		time.Sleep(10 * time.Second)
		if got := sent.Load(); got != 4 {
			t.Errorf("%d beats sent after the loss", got-4)
		}
		for i, tt := range healthy {
			at := tt.sent()
			if len(at) != 30 {
				t.Errorf("healthy lock %d: %d beats in 30 s", i, len(at))
			}
			for j := 1; j < len(at); j++ {
				if d := at[j] - at[j-1] - time.Second; d.Abs() > usual.early()+2*time.Microsecond {
					t.Errorf("healthy lock %d: a beat was %v off", i, d)
				}
			}
		}
		r.want(t)
		for _, b := range append(hs, bs...) {
			b.Stop()
		}
		settled(t, s)
	})
}

// One path that hangs leaves three workers to its mount.
func TestOnePathHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s, r := New(c), &recorder{c: c}
		hung := make(chan struct{})
		bad := s.Start("m", &fakeTarget{c: c, touch: func() error { <-hung; return nil }}, usual, 0, epoch, Events{})
		var bs []*Beat
		for range 100 {
			bs = append(bs, s.Start("m", &fakeTarget{c: c, touch: func() error { time.Sleep(5 * time.Millisecond); return nil }}, usual, 0, epoch, r.events()))
		}
		time.Sleep(time.Minute)
		for i, b := range bs {
			if left := b.Remaining(); left < lease20-time.Second-100*time.Millisecond {
				t.Errorf("lock %d: %v remain", i, left)
			}
			b.Stop()
		}
		bad.Stop()
		close(hung)
		r.want(t)
		settled(t, s)
	})
}

// A mount too slow for its beats shares what it can do out evenly: everybody's turn comes.
func TestSlowMountIsFair(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s, r := New(c), &recorder{c: c}
		const n = 1000 // at 40 ms and four at a time: ten seconds a round
		var ts []*fakeTarget
		var bs []*Beat
		for range n {
			tt := &fakeTarget{c: c, touch: func() error { time.Sleep(40 * time.Millisecond); return nil }}
			ts = append(ts, tt)
			bs = append(bs, s.Start("m", tt, usual, 0, epoch, r.events()))
		}
		time.Sleep(2 * time.Minute)
		r.want(t)
		for i, tt := range ts {
			at := append(tt.sent(), c.Boot())
			for j := 1; j < len(at); j++ {
				if d := at[j] - at[j-1]; d > 11*time.Second {
					t.Errorf("lock %d waited %v for its turn", i, d)
				}
			}
		}
		for _, b := range bs {
			b.Stop()
		}
		time.Sleep(time.Second)
		settled(t, s)
	})
}

// A callback that blocks holds up nothing but the events of its own lock.
func TestSlowCallback(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s, r := New(c), &recorder{c: c}
		slow := make(chan struct{})
		var order []string
		s.Start("m", &fakeTarget{c: c, touch: func() error { return ErrStill }}, usual, 0, epoch, Events{
			Failing: func(error) { order = append(order, "failing"); <-slow },
			Lapsed:  func(bool) { order = append(order, "lapsed") },
		})
		good := &fakeTarget{c: c}
		b := s.Start("m", good, usual, 0, epoch, r.events())
		s.Start("m", &fakeTarget{c: c, touch: func() error { return ErrGone }}, usual, 0, epoch, r.events())
		time.Sleep(30 * time.Second)
		if n := len(good.sent()); n != 30 {
			t.Errorf("%d beats beside a blocked callback", n)
		}
		b.Stop()
		log := r.all()
		if len(log) != 1 || !strings.HasSuffix(log[0], " gone") {
			t.Errorf("events of others: %q", log)
		}
		close(slow)
		synctest.Wait()
		if !slices.Equal(order, []string{"failing", "lapsed"}) {
			t.Errorf("events %q", order)
		}
		settled(t, s)
	})
}

// After Stop no event begins, not even one that stands behind a slow one.
func TestStopWithholdsEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		slow := make(chan struct{})
		told := false
		b := s.Start("m", &fakeTarget{c: c, touch: func() error { return ErrStill }}, usual, 0, epoch, Events{
			Failing: func(error) { <-slow },
			Lapsed:  func(bool) { told = true },
		})
		time.Sleep(30 * time.Second)
		b.Stop()
		close(slow)
		synctest.Wait()
		if told {
			t.Error("told after Stop")
		}
	})
}

// A lock taken anew from within the callback: stop the old beat, start a new one.
func TestStopAndStartInACallback(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		tt := &fakeTarget{c: c}
		var old, anew *Beat
		old = s.Start("m", &fakeTarget{c: c}, usual, 0, epoch, Events{Lapsed: func(bool) {
			old.Stop()
			anew = s.Start("m", tt, usual, c.Boot(), epoch, Events{})
		}})
		time.Sleep(5 * time.Second)
		c.suspend(time.Hour)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := len(tt.sent()); n < 9 {
			t.Errorf("%d beats of the new name", n)
		}
		if left := anew.Remaining(); left < 18*time.Second {
			t.Errorf("%v remain", left)
		}
		anew.Stop()
		settled(t, s)
	})
}

// Nil callbacks are not called.
func TestNoCallbacks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		s.Start("m", &fakeTarget{c: c, touch: func() error { return ErrGone }}, usual, 0, epoch, Events{})
		s.Start("m", &fakeTarget{c: c, touch: func() error { return ErrStill }}, usual, 0, epoch, Events{})
		time.Sleep(time.Minute)
		settled(t, s)
	})
}
