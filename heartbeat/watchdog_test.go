package heartbeat

import (
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A process that slept its lease away does not beat the name again, and is told so once, whatever it was about to do when it
// fell asleep and whoever wakes up first, a worker or the watchdog.
func TestSleepBeyondTheLease(t *testing.T) {
	for _, set := range []Settings{usual, {time.Second, 3 * time.Second}, {10 * time.Millisecond, 30 * time.Millisecond}, {500 * time.Millisecond, 2 * time.Second}} {
		for i := range 20 { // at so many moments within a heartbeat
			for _, d := range []time.Duration{set.Lease(), 3 * set.Stale, time.Hour} {
				bubble(t, func(t *testing.T) {
					g := start(set, nil)
					time.Sleep(10*set.Heartbeat + time.Duration(i)*set.Heartbeat/20)
					n := len(g.t.sent())
					g.c.suspend(d)
					at := g.c.Boot()
					time.Sleep(20 * set.Heartbeat)
					synctest.Wait()
					log := g.r.all()
					if len(log) != 1 || log[0][len(log[0])-len("lapsed asleep=true"):] != "lapsed asleep=true" {
						t.Errorf("%+v slept %v at moment %d: %q", set, d, i, log)
					}
					var told time.Duration
					var s string
					if fmt.Sscan(log[0], &s); s != "" {
						told, _ = time.ParseDuration(s)
					}
					if told < at-time.Millisecond || told > at+set.tick()+time.Millisecond {
						t.Errorf("%+v: told at %v, %v after waking up", set, told, told-at)
					}
					if got := len(g.t.sent()); got != n {
						t.Errorf("%+v slept %v at moment %d: %d beats of a lapsed name", set, d, i, got-n)
					}
					settled(t, g.s)
				})
			}
		}
	}
}

// A sleep that leaves something of the lease is no event: the beats go on at once.
func TestSleepWithinTheLease(t *testing.T) {
	for i := range 40 {
		bubble(t, func(t *testing.T) {
			g := start(usual, nil)
			time.Sleep(10*time.Second + time.Duration(i)*25*time.Millisecond)
			g.c.suspend(18 * time.Second)
			at := g.c.Boot()
			time.Sleep(usual.tick() + 10*time.Microsecond)
			synctest.Wait()
			if g.t.lastSent() < at {
				t.Errorf("moment %d: no beat within a tick of waking up", i)
			}
			time.Sleep(10 * time.Second)
			g.r.want(t)
			g.b.Stop()
		})
	}
}

// Woken just before the end, with a file system too slow to answer before it: asleep all the same.
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

// With the shortest Stale allowed, the pause that costs the lease is hardly longer than a heartbeat.
func TestShortestPauseThatCounts(t *testing.T) {
	set := Settings{time.Second, 3 * time.Second}
	for i := range 40 {
		bubble(t, func(t *testing.T) {
			g := start(set, nil)
			time.Sleep(10*time.Second + time.Duration(i)*25*time.Millisecond)
			left := g.b.Remaining()
			g.c.suspend(left)
			time.Sleep(5 * time.Second)
			g.r.want(t, g.r.all()...)
			if log := g.r.all(); len(log) != 1 || log[0][len(log[0])-4:] != "true" {
				t.Errorf("moment %d, slept %v: %q", i, left, log)
			}
		})
	}
}

// Sleep during an earlier lease does not explain the end of this one.
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

// Sleep while a beat is under way belongs to the lease that this beat begins.
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

// A Check that reads Remaining while the worker and the watchdog still sleep agrees with what they will find.
func TestRemainingAfterSleep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, nil)
		time.Sleep(10 * time.Second)
		g.c.suspend(time.Hour)
		if g.b.Remaining() > 0 {
			t.Error("the lease outlived an hour of sleep")
		}
		g.r.want(t, "1h0m10s lapsed asleep=true") // at once: whoever notices wakes the watchdog
	})
}

// A lease that is over when Start is called has been slept away: its caller looked at it last.
func TestStartWithALapsedLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		time.Sleep(time.Minute)
		s, r := New(c), &recorder{c: c}
		tt := &fakeTarget{c: c}
		s.Start("m", tt, usual, time.Second, epoch, r.events())
		time.Sleep(10 * time.Second)
		r.want(t, "1m0s lapsed asleep=true")
		if n := len(tt.sent()); n != 0 {
			t.Errorf("%d beats", n)
		}
		settled(t, s)
	})
}

// The watchdog's own delays of less than a tick, however many, are no sleep.
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
		if e := g.r.all()[1]; e[len(e)-len("asleep=false"):] != "asleep=false" {
			t.Errorf("%q", e)
		}
	})
}
