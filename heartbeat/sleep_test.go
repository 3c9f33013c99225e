package heartbeat

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleepThatEndsJustBeforeTheLease(t *testing.T) {
	for i := range 40 {
		bubble(t, func(t *testing.T) {
			hang := make(chan struct{})
			g := start(usual, nil)
			time.Sleep(10*time.Second + time.Duration(i)*25*time.Millisecond)
			end := g.t.lastSent() + lease20
			g.t.onTouch(func() error { <-hang; return nil })
			// The next alarm rings at the moment that was planned, plus the sleep, which is just before the end.
			g.s.mu.Lock()
			wake := min(g.s.beats.at, g.s.dog.at)
			g.s.mu.Unlock()
			g.c.suspend(end - wake - 10*time.Microsecond)
			time.Sleep(5 * time.Second)
			g.r.want(t, fmt.Sprint(end.Round(10*time.Microsecond), " lapsed asleep=true"))
			close(hang)
			synctest.Wait()
			settled(t, g.s)
		})
	}
}

func TestShortestPauseThatCounts(t *testing.T) {
	set := Settings{time.Second, 3 * time.Second}
	for k := range 10 {
		for i := range 40 {
			bubble(t, func(t *testing.T) {
				c := newClock()
				time.Sleep(time.Duration(k) * 100 * time.Millisecond) // the ticks begin at Start, the beats at zero
				s, r := New(c), &recorder{c: c}
				b := s.Start("m", &fakeTarget{c: c}, set, c.Boot(), epoch, r.events())
				time.Sleep(10*time.Second + time.Duration(i)*25*time.Millisecond)
				left := b.Remaining()
				how := (i + k) % 3
				switch how {
				case 0:
					c.suspend(left)
				default:
					halt(c, s, left, how == 1)
				}
				time.Sleep(5 * time.Second)
				synctest.Wait()
				if log := r.all(); len(log) != 1 || !strings.HasSuffix(log[0], "lapsed asleep=true") {
					t.Errorf("moments %d, %d, way %d, slept %v: %q", k, i, how, left, log)
				}
			})
		}
	}
}

func TestShortNapIsNoSleep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) { g.t.touch = func() error { return syscall.EIO } })
		time.Sleep(5*time.Second + usual.tick() - time.Millisecond)
		g.c.suspend(usual.drowsy() - 10*time.Millisecond)
		g.s.mu.Lock()
		g.s.now()
		noticed := g.s.slept
		g.s.mu.Unlock()
		if noticed == 0 {
			t.Fatal("the nap was to be noticed")
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if log := g.r.all(); len(log) != 2 || log[1] != "20s lapsed asleep=false" {
			t.Errorf("%q", log)
		}
	})
}

func TestSleepBeforeTheLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, nil)
		time.Sleep(5 * time.Second)
		g.c.suspend(10 * time.Second)
		time.Sleep(time.Second)
		r := &recorder{c: g.c}
		g.s.Start("m", &fakeTarget{c: g.c, touch: func() error { return syscall.EIO }}, usual, g.c.Boot(), epoch, Events{Lapsed: r.events().Lapsed})
		time.Sleep(30 * time.Second)
		r.want(t, "36s lapsed asleep=false")
		g.b.Stop()
	})
}

func TestSleepOfAnEarlierLease(t *testing.T) {
	for i := range 40 {
		bubble(t, func(t *testing.T) {
			g := start(usual, nil)
			time.Sleep(10*time.Second + time.Duration(i)*25*time.Millisecond)
			g.c.suspend(15 * time.Second)
			// The first beat after it counts; nothing does after that.
			n := len(g.t.sent())
			calls := 0
			g.t.onTouch(func() error {
				if calls++; calls > 1 {
					return syscall.EIO
				}
				return nil
			})
			time.Sleep(time.Minute)
			first := g.t.sent()[n]
			log := g.r.all()
			if want := fmt.Sprint((first + lease20).Round(10*time.Microsecond), " lapsed asleep=false"); len(log) != 2 || log[1] != want {
				t.Errorf("moment %d: %q, want %q", i, log, want)
			}
		})
	}
}

func TestSleepDuringABeat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		back := make(chan error)
		g := start(usual, nil)
		g.until(10 * time.Second)
		g.t.onTouch(func() error { return <-back })
		time.Sleep(time.Second)
		sent := g.t.lastSent()
		g.c.suspend(10 * time.Second)
		time.Sleep(time.Second)
		back <- nil
		synctest.Wait()
		if got, want := g.b.Remaining(), sent+lease20-g.c.Boot(); !near(got, want) {
			t.Errorf("%v remain, want %v", got, want)
		}
		time.Sleep(10 * time.Second)
		g.r.want(t, fmt.Sprint((sent+lease20).Round(10*time.Microsecond), " lapsed asleep=true"))
		back <- nil
		synctest.Wait()
	})
}

func TestLittleDelaysAreNoSleep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) { g.t.touch = func() error { return syscall.EIO } })
		for range 180 {
			time.Sleep(100 * time.Millisecond)
			g.c.suspend(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if len(g.r.all()) != 2 {
			t.Fatalf("%q", g.r.all())
		}
		if e := g.r.all()[1]; !strings.HasSuffix(e, "asleep=false") {
			t.Errorf("%q", e)
		}
	})
}
