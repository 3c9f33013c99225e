package heartbeat

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// On a mount that takes beats but does not move the time, the lock lasts as long as its first lease and no longer.
func TestStillFromTheStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) {
			g.t.onMtime(func(time.Time) (time.Time, error) { return epoch, nil })
		})
		time.Sleep(2 * time.Minute)
		g.r.want(t, "10.61803s failing: "+ErrStill.Error(), "20s lapsed asleep=false")
		if s, r := len(g.t.sent()), g.t.readBacks(); s != 20 || r != 20 {
			t.Errorf("%d beats and %d read-backs, want one of each a second while it stands still", s, r)
		}
	})
}

// A mount that stops moving later is noticed by the next read-back that is due.
func TestStillLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, nil)
		g.until(10 * time.Second)
		reads := g.t.readBacks()
		if reads != 2 { // at 0.618 and 5.618
			t.Errorf("%d read-backs in 10 s", reads)
		}
		at9 := epoch.Add(g.t.m) // by the beat at 9.618
		g.t.onMtime(func(time.Time) (time.Time, error) { return at9, nil })
		g.until(11 * time.Second)
		// Moved since the read-back at 5.618, if not by this beat.
		if got, want := g.b.Remaining(), offset+10*time.Second+lease20-g.c.Boot(); !near(got, want) {
			t.Errorf("%v remain, want %v", got, want)
		}
		time.Sleep(5 * time.Second)
		if got, want := g.b.Remaining(), offset+14*time.Second+lease20-g.c.Boot(); !near(got, want) {
			t.Errorf("%v remain after a read-back that stood still, want %v", got, want)
		}
		time.Sleep(time.Minute)
		g.r.want(t, "25.61803s failing: "+ErrStill.Error(), "34.61803s lapsed asleep=false")
	})
}

// One read-back that stands still: neither that beat nor the next counts until one moves, and each is read back.
func TestStillOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		var last time.Time
		g := start(usual, func(g *rig) {
			g.t.onMtime(func(m time.Time) (time.Time, error) {
				if n++; n == 2 || n == 3 { // at 5.618 and 6.618
					return last, nil
				}
				last = m
				return m, nil
			})
		})
		for _, c := range []struct {
			at, counted time.Duration
			reads       int
		}{
			{5 * time.Second, 4 * time.Second, 1},
			{6 * time.Second, 4 * time.Second, 2},
			{7 * time.Second, 4 * time.Second, 3},
			{8 * time.Second, 7 * time.Second, 4}, // moved
			{9 * time.Second, 8 * time.Second, 4},
			{12 * time.Second, 11 * time.Second, 4},
			{13 * time.Second, 12 * time.Second, 5},
		} {
			g.until(c.at)
			if got, want := g.b.Remaining(), offset+c.counted+lease20-g.c.Boot(); !near(got, want) || g.t.readBacks() != c.reads {
				t.Errorf("at %v: %v remain after %d read-backs, want %v after %d", c.at, got, g.t.readBacks(), want, c.reads)
			}
		}
		g.b.Stop()
		g.r.want(t)
	})
}

func TestReadBackThatFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := 0
		g := start(usual, func(g *rig) {
			g.t.onMtime(func(m time.Time) (time.Time, error) {
				if n++; n == 2 {
					return time.Time{}, syscall.ESTALE
				}
				return m, nil
			})
		})
		g.until(6 * time.Second) // 5.618 was to be read back
		if got, want := g.b.Remaining(), offset+4*time.Second+lease20-g.c.Boot(); !near(got, want) {
			t.Errorf("%v remain, want %v", got, want)
		}
		g.until(7 * time.Second)
		if got, want := g.b.Remaining(), offset+6*time.Second+lease20-g.c.Boot(); !near(got, want) || n != 3 {
			t.Errorf("%v remain after %d read-backs, want %v after 3", got, n, want)
		}
		g.r.want(t, "5.61803s failing: "+syscall.ESTALE.Error())
		g.b.Stop()
	})
}

// A time that steps back has moved.
func TestStepBackIsMovement(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(usual, func(g *rig) {
			g.t.onMtime(func(m time.Time) (time.Time, error) { return epoch.Add(-time.Hour - m.Sub(epoch)), nil })
		})
		time.Sleep(2 * time.Minute)
		g.r.want(t)
		g.b.Stop()
	})
}

// Scenario 39: FAT keeps two seconds, ext2 one. Read-backs within one tick end nothing and are not worth a message.
func TestScenario039CoarseTimes(t *testing.T) {
	for _, c := range []struct {
		set   Settings
		grain time.Duration
	}{
		{usual, 2 * time.Second},
		{Settings{300 * time.Millisecond, 30 * time.Second}, 2 * time.Second},
		{Settings{300 * time.Millisecond, 3 * time.Second}, time.Second},
		{Settings{time.Second, 6 * time.Second}, 2 * time.Second},
	} {
		bubble(t, func(t *testing.T) {
			g := start(c.set, func(g *rig) { g.t.grain = c.grain })
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			for _, e := range g.r.all() {
				t.Errorf("%+v: %s", c, e)
			}
			g.b.Stop()
		})
	}
}

func TestReadBacksAreRare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := start(Settings{time.Second, time.Minute}, nil)
		time.Sleep(10 * time.Minute)
		if n := g.t.readBacks(); n < 55 || n > 61 {
			t.Errorf("%d read-backs in 10 minutes, want one in 10 s", n)
		}
		g.b.Stop()
	})
}
