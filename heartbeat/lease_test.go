package heartbeat

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Beats of the first lock are due at 618.034 ms of each second (see phase).
const offset = 618033984 * time.Nanosecond

const lease20 = 20 * time.Second // of the usual settings

// near allows for the slots of timers.
func near(a, b time.Duration) bool { return (a - b).Abs() <= 5*time.Microsecond }

func TestLeaseRunsFromBeforeTheSend(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) { g.t.touch = func() error { time.Sleep(5 * time.Second); return nil } })
		if got := g.b.Remaining(); got != lease20 {
			t.Errorf("at first %v remain", got)
		}
		g.until(5 * time.Second) // before the answer
		if got, want := g.b.Remaining(), lease20-g.c.Boot(); got != want {
			t.Errorf("before an answer %v remain, want %v", got, want)
		}
		g.until(6 * time.Second)
		if got, want := g.b.Remaining(), lease20+offset-g.c.Boot(); !near(got, want) {
			t.Errorf("after the answer %v remain, want %v", got, want)
		}
		g.b.Stop()
		time.Sleep(6 * time.Second)
	})
}

func TestLeaseBeginsWhereStartSays(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		time.Sleep(7 * time.Second)
		s, r := New(c), &recorder{c: c}
		tt := &fakeTarget{c: c, touch: func() error { return syscall.EIO }}
		b := s.Start("m", tt, usual, 2*time.Second, epoch, r.events())
		if got := b.Remaining(); got != 15*time.Second {
			t.Errorf("%v remain", got)
		}
		ahead := s.Start("m", &fakeTarget{c: c}, usual, 9*time.Second, epoch, Events{})
		if got := ahead.Remaining(); got != lease20 {
			t.Errorf("a lease from the future: %v remain", got)
		}
		ahead.Stop()
		time.Sleep(30 * time.Second)
		r.want(t, "7.61803s failing: input/output error", "22s lapsed asleep=false")
		settled(t, s)
	})
}

// A beat that hangs in the kernel does not keep the watchdog; come back too late, it counts nothing.
func TestHungBeatLapses(t *testing.T) {
	for _, back := range []time.Duration{19 * time.Second, 20 * time.Second, 25 * time.Second, time.Hour} {
		bubble(t, func(t *testing.T) {
			hang := make(chan struct{})
			g := start(usual, nil)
			g.until(10 * time.Second)
			g.t.onTouch(func() error { <-hang; return nil })
			from := g.t.lastSent() // the last that counted
			time.Sleep(back)       // returns before, at or after the lease's end
			close(hang)
			synctest.Wait()
			if back == 19*time.Second { // back in time: from its send
				if left, want := g.b.Remaining(), from+time.Second+lease20-g.c.Boot(); !near(left, want) {
					t.Errorf("%v remain, want %v", left, want)
				}
				g.r.want(t)
				g.b.Stop()
				return
			}
			time.Sleep(time.Minute)
			g.r.want(t, (from+lease20).Round(10*time.Microsecond).String()+" lapsed asleep=false")
			if n := g.t.lastSent(); !near(n, from+time.Second) {
				t.Errorf("back after %v: last sent at %v", back, n)
			}
			if g.b.Remaining() > 0 {
				t.Errorf("back after %v: revived", back)
			}
			settled(t, g.s)
		})
	}
}

// A beat that hung and is back in time counts from its send, and is followed by another one at once.
func TestHungBeatBackInTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hang := make(chan struct{})
		g := start(usual, nil)
		g.until(10 * time.Second)
		g.t.onTouch(func() error { <-hang; return nil })
		time.Sleep(14 * time.Second)
		sent := g.t.lastSent()
		calls := 0
		g.t.onTouch(func() error {
			if calls++; calls == 1 {
				time.Sleep(time.Second)
			}
			return nil
		})
		close(hang)
		synctest.Wait()
		if got, want := g.b.Remaining(), sent+lease20-g.c.Boot(); !near(got, want) {
			t.Errorf("%v remain, want %v", got, want)
		}
		time.Sleep(10 * time.Microsecond)
		synctest.Wait()
		if got := g.t.lastSent(); !near(got, g.c.Boot()) && g.c.Boot()-got > 20*time.Microsecond {
			t.Errorf("the next beat was sent %v ago", g.c.Boot()-got)
		}
		time.Sleep(10 * time.Second)
		g.b.Stop()
		g.r.want(t)
	})
}

func TestTransientErrorsAreRetried(t *testing.T) {
	bubble(t, func(t *testing.T) {
		bad := map[int]error{3: syscall.EIO, 4: syscall.ESTALE, 5: syscall.EACCES, 8: syscall.EIO}
		n := 0
		g := start(usual, func(g *rig) { g.t.touch = func() error { n++; return bad[n] } })
		time.Sleep(30 * time.Second)
		if left := g.b.Remaining(); left < 19*time.Second {
			t.Errorf("%v remain", left)
		}
		g.b.Stop()
		if len(g.t.sent()) != 30 {
			t.Errorf("%d beats in 30 s", len(g.t.sent()))
		}
		g.r.want(t, "2.61803s failing: input/output error", "7.61803s failing: input/output error")
	})
}

func TestPersistentErrorsLapse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		g := start(usual, func(g *rig) {
			g.t.onTouch(func() error {
				if n++; n > 5 {
					return syscall.EROFS
				}
				return nil
			})
		})
		time.Sleep(2 * time.Minute)
		g.r.want(t, "5.61803s failing: read-only file system", "24.61803s lapsed asleep=false")
		if len(g.t.sent()) != 24 {
			t.Errorf("%d beats, want one a second until the end and none after", len(g.t.sent()))
		}
		settled(t, g.s)
	})
}

func TestGoneIsDefinite(t *testing.T) {
	for name, err := range map[string]error{
		"ErrGone": ErrGone,
		"wrapped": errors.Join(errors.New("x"), ErrGone),
		"ENOENT":  &fs.PathError{Op: "touch", Path: "p", Err: syscall.ENOENT},
	} {
		for _, by := range []string{"touch", "mtime"} {
			t.Run(name+" by "+by, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					g := start(usual, nil)
					g.until(5 * time.Second)
					want := "5.61803s gone"
					if by == "touch" {
						g.t.onTouch(func() error { return err })
					} else {
						g.t.onMtime(func(time.Time) (time.Time, error) { return time.Time{}, err })
					}
					time.Sleep(time.Second)
					if g.b.Remaining() > 0 {
						t.Error("something remains of the lease")
					}
					time.Sleep(2 * time.Minute)
					g.r.want(t, want)
					if n := len(g.t.sent()); n != 6 {
						t.Errorf("%d beats, want none after the loss", n)
					}
					g.b.Stop()
					settled(t, g.s)
				})
			})
		}
	}
}

// Many leases at once, each renewed as often as its own beats allow: every one ends at its own time.
func TestEachLeaseEndsAtItsOwnTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := newClock()
		s := New(c)
		const n = 200
		var rs []*recorder
		good := make([]time.Duration, n) // when the last beat that succeeded was sent
		for i := range n {
			fails := time.Duration(i*7919%n) * 400 * time.Millisecond // in an order of its own
			tt, r := &fakeTarget{c: c}, &recorder{c: c}
			tt.touch = func() error {
				if c.Boot() > fails {
					return syscall.EIO
				}
				good[i] = c.Boot()
				return nil
			}
			rs = append(rs, r)
			s.Start("m", tt, usual, 0, epoch, Events{Lapsed: r.events().Lapsed})
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait() // what the workers wrote is read here
		for i, r := range rs {
			end := (good[i] + lease20).Round(10 * time.Microsecond)
			if log := r.all(); len(log) != 1 || log[0] != fmt.Sprint(end, " lapsed asleep=false") {
				t.Errorf("lock %d: %q, want it at %v", i, log, end)
			}
		}
		settled(t, s)
	})
}

// A loss is one event, even if the hung beat says "gone" after the lease has run out.
func TestOneTerminalEvent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hang := make(chan struct{})
		g := start(usual, func(g *rig) { g.t.touch = func() error { <-hang; return ErrGone } })
		time.Sleep(25 * time.Second)
		close(hang)
		time.Sleep(25 * time.Second)
		g.r.want(t, "20s lapsed asleep=false")
	})
}
