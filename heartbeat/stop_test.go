package heartbeat

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStopIsFinal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, nil)
		time.Sleep(5 * time.Second)
		g.b.Stop()
		g.b.Stop()
		left := g.b.Remaining()
		n := len(g.t.sent())
		settled(t, g.s)
		time.Sleep(time.Minute)
		if got := len(g.t.sent()); got != n {
			t.Errorf("%d beats after Stop", got-n)
		}
		if got := left - g.b.Remaining(); got != time.Minute {
			t.Errorf("the lease ran down by %v in a minute", got)
		}
		g.r.want(t)
	})
}

func TestStopWhileABeatHangs(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hung := make(chan struct{})
		g := start(usual, func(g *rig) { g.t.touch = func() error { <-hung; return ErrGone } })
		time.Sleep(5 * time.Second)
		g.b.Stop() // does not wait
		time.Sleep(time.Minute)
		close(hung)
		synctest.Wait()
		if n := len(g.t.sent()); n != 1 {
			t.Errorf("%d beats", n)
		}
		g.r.want(t)
		settled(t, g.s)
	})
}

func TestStopOutlivesAGoodAnswer(t *testing.T) {
	for _, by := range []string{"touch", "mtime"} {
		bubble(t, func(t *testing.T) {
			hung := make(chan struct{})
			g := start(usual, nil)
			wait := 500 * time.Millisecond // the first beat is read back, the second is not
			if by == "touch" {
				wait += time.Second
			}
			time.Sleep(wait)
			if by == "touch" {
				g.t.onTouch(func() error { <-hung; return nil })
			} else {
				g.t.onMtime(func(m time.Time) (time.Time, error) { <-hung; return m, nil })
			}
			time.Sleep(2 * time.Second)
			n := len(g.t.sent())
			left := g.b.Remaining()
			g.b.Stop()
			close(hung)
			time.Sleep(10 * time.Second)
			if got := len(g.t.sent()); got != n {
				t.Errorf("%s: %d more beats", by, got-n)
			}
			if got := left - g.b.Remaining(); got != 10*time.Second {
				t.Errorf("%s: the lease ran down by %v in 10 s", by, got)
			}
			g.r.want(t)
			settled(t, g.s)
		})
	}
}

func TestStopWhileWaitingForAWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		hung := make(chan struct{})
		var ts []*fakeTarget
		var bs []*Beat
		for range 10 {
			tt := &fakeTarget{c: c, touch: func() error { <-hung; return nil }}
			ts = append(ts, tt)
			bs = append(bs, s.Start("m", tt, usual, 0, epoch, Events{}))
		}
		time.Sleep(5 * time.Second)
		for _, b := range bs {
			b.Stop()
		}
		close(hung)
		time.Sleep(5 * time.Second)
		n := 0
		for _, tt := range ts {
			n += len(tt.sent())
		}
		if n != maxWorkers {
			t.Errorf("%d beats, want the %d that were stuck", n, maxWorkers)
		}
		settled(t, s)
	})
}

func TestStartAgainAfterIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		for range 3 {
			tt := &fakeTarget{c: c}
			b := s.Start("m", tt, usual, c.Boot(), epoch, Events{})
			time.Sleep(3 * time.Second)
			b.Stop()
			if n := len(tt.sent()); n != 3 {
				t.Errorf("%d beats in 3 s", n)
			}
			settled(t, s)
			time.Sleep(100 * time.Second)
		}
	})
}
