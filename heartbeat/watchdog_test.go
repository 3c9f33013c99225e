package heartbeat

import (
	"fmt"
	"strings"
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
					if len(log) != 1 || !strings.HasSuffix(log[0], "lapsed asleep=true") {
						t.Fatalf("%+v slept %v at moment %d: %q", set, d, i, log)
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

// The same for SIGSTOP: on SIGCONT all overdue timers ring at once, the beat's before the watchdog's or after it.
func TestStoppedBeyondTheLease(t *testing.T) {
	for i := range 40 {
		for _, dogFirst := range []bool{false, true} {
			bubble(t, func(t *testing.T) {
				g := start(usual, nil)
				time.Sleep(10*time.Second + time.Duration(i)*25*time.Millisecond)
				n := len(g.t.sent())
				halt(g.c, g.s, 90*time.Second, dogFirst)
				g.r.want(t, fmt.Sprint(g.c.Boot(), " lapsed asleep=true"))
				time.Sleep(time.Minute)
				if got := len(g.t.sent()); got != n {
					t.Errorf("moment %d: %d beats of a lapsed name", i, got-n)
				}
				g.r.want(t, g.r.all()[0])
				settled(t, g.s)
			})
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
// With the shortest Stale allowed, the pause that costs the lease is hardly longer than a heartbeat. Wherever beats and ticks
// stand to each other, it is seen.
// A nap too short to have cost a beat does not explain the end of a lease.
// Nor does sleep before the lock was there.
// An answer that comes when the lease is over, and before the watchdog has said so, revives nothing and is not worth a message.
func TestAnswerBetweenTheEndAndTheWatchdog(t *testing.T) {
	for _, answer := range []error{nil, syscall.EIO} {
		bubble(t, func(t *testing.T) {
			back := make(chan error)
			g := start(usual, nil)
			g.until(10 * time.Second)
			g.t.onTouch(func() error { return <-back })
			time.Sleep(time.Second)
			n := len(g.t.sent())
			g.c.suspend(time.Minute)
			back <- answer // nothing else has run since
			synctest.Wait()
			if g.b.Remaining() > 0 {
				t.Error("revived")
			}
			time.Sleep(time.Minute)
			g.r.want(t, "1m10.999s lapsed asleep=true")
			if got := len(g.t.sent()); got != n {
				t.Errorf("%d more beats", got-n)
			}
			settled(t, g.s)
		})
	}
}

// The watchdog ticks as often as the shortest heartbeat held asks for, and no more often once that is gone.
func TestTicks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		want := func(d time.Duration) {
			t.Helper()
			if s.tick != d {
				t.Errorf("a tick of %v, want %v", s.tick, d)
			}
		}
		short := Settings{30 * time.Millisecond, time.Second}
		a := s.Start("m", &fakeTarget{c: c}, usual, 0, epoch, Events{})
		want(usual.tick())
		b, d := s.Start("m", &fakeTarget{c: c}, short, 0, epoch, Events{}), s.Start("m", &fakeTarget{c: c}, short, 0, epoch, Events{})
		want(10 * time.Millisecond)
		b.Stop()
		want(10 * time.Millisecond)
		d.Stop()
		want(usual.tick())
		a.Stop()
		settled(t, s)
	})
}

// Sleep during an earlier lease does not explain the end of this one.
// Sleep while a beat is under way belongs to the lease that this beat begins.
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
