package dirlock

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// What the dead left beside the lock is swept after an hour by whoever lists it; what is not ours stays.
func TestNotesLeftOver(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		c := s.server.Local()
		_ = c.Mkdir(simAux, 0o755)
		put := func(name string) {
			if err := c.Mkdir(path.Join(simAux, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		left := func(want ...string) {
			t.Helper()
			got := slices.DeleteFunc(s.beside(), func(n string) bool { return strings.HasPrefix(n, "seen-name") })
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("left: %q\nwant: %q", got, want)
			}
		}
		hex := func(digit string) string { return strings.Repeat(digit, 32) }
		put("seen-" + hex("a") + "-1.000000000")
		put("now-" + hex("a"))
		put("fence-7")
		put("now-really")
		put("seen-nothing")
		put("seen-" + hex("a"))
		time.Sleep(time.Hour)
		put("seen-" + hex("b") + "-1.000000000")
		put("now-" + hex("b"))
		time.Sleep(time.Second)

		_, _ = c.Mkdir(simPath, 0o755), c.Create(simPath+"/dirlock-x", nil, 0o644)
		s.newcomer("two", time.Hour*24).try()
		notOurs := []string{"fence-7", "now-really", "seen-nothing", "seen-" + hex("a")}
		left(append(notOurs, "now-"+hex("b"), "seen-"+hex("b")+"-1.000000000")...)

		time.Sleep(time.Hour)
		if !s.newcomer("three", 0).try() {
			t.Error("not taken over")
		}
		left(notOurs...)
	})
}

// A waiter takes back what has lost its meaning: while it waits, and when it goes.
func TestNotesFollowTheHeartbeat(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		g := s.ghost(time.Hour, stamp.ClockHolder)
		is := func(when string, want ...string) {
			t.Helper()
			if got := s.beside(); !slices.Equal(got, want) {
				t.Errorf("%s: beside the lock %q, want %q", when, got, want)
			}
		}
		now := func() string { return noteName(path.Base(g.path), g.mtime()) }
		s.newcomer("first", 0).try()
		is("left by the first", now())
		go s.newcomer("two", 0).wait(25 * time.Second)
		time.Sleep(5 * time.Second)
		for range 2 { // first the other's note, then its own
			is("silent", now())
			_ = g.Touch(g.path)
			time.Sleep(time.Second)
			is("after a beat")
			time.Sleep(4 * time.Second)
		}
		is("silent again", now())
		time.Sleep(12 * time.Second)
		is("after it has gone", now())

		_ = g.Touch(g.path)
		s.newcomer("three", 0).wait(8 * time.Second)
		is("silent since the last beat", now())
	})
}

// A note about what is not there any more goes with the waiter that knows it, although it does not get the lock.
func TestNotesAboutTheGone(t *testing.T) {
	for _, stamped := range []bool{true, false} {
		bubble(t, func(t *testing.T, s *sim) {
			g := s.ghost(time.Hour, stamp.ClockHolder)
			if !stamped {
				_ = g.Unlink(g.path)
			}
			go s.newcomer("two", 0).try()
			time.Sleep(5 * time.Second)
			if len(s.beside()) != 1 {
				t.Errorf("beside the lock: %q", s.beside())
			}
			// It goes, and another one, who lives, is there at once.
			successor := stamp.Stamp{Version: 1, UUID: uuid.New(), PID: 1, Heartbeat: time.Second, Stale: time.Minute, Label: "x"}
			_ = g.Create(path.Join(simPath, successor.Name()), nil, 0o644)
			_ = g.Unlink(g.path)
			for range 10 {
				_ = g.Touch(path.Join(simPath, successor.Name()))
				time.Sleep(time.Second)
			}
			if len(s.beside()) != 0 {
				t.Errorf("stamped %v: left %q", stamped, s.beside())
			}
		})
	}
}

// Who has only read a note sweeps it once it holds the lock; a note about a stamp that cannot be looked at stays.
func TestNotesOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		g := s.ghost(time.Hour, stamp.ClockHolder)
		s.newcomer("first", 0).try()
		go func() {
			time.Sleep(4 * time.Second)
			_, _ = g.Unlink(g.path), g.Rmdir(simPath)
		}()
		b := s.newcomer("two", 0)
		b.acquire(0)
		if b.did("mkdir "+notePrefix) != 0 || b.did("mkdir "+nowPrefix) != 1 {
			t.Errorf("%d notes, %d questions for the time", b.did("mkdir "+notePrefix), b.did("mkdir "+nowPrefix))
		}
		if len(s.beside()) != 0 {
			t.Errorf("left by who holds the lock: %q", s.beside())
		}
	})
	bubble(t, func(t *testing.T, s *sim) {
		s.ghost(time.Hour, stamp.ClockHolder)
		hidden := path.Join(simPath, stamp.Prefix+"hidden")
		_ = s.server.Local().Create(hidden, nil, 0o644)
		s.newcomer("first", 0).try()
		b := s.newcomer("two", 0)
		b.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "stat" && op.Path == hidden {
				return nil, syscall.EIO
			}
			return nil, nil
		})
		if b.try(); len(s.beside()) != 2 {
			t.Errorf("beside the lock: %q", s.beside())
		}
	})
}

// A waiter may die at any of its calls for notes; the next ones take over all the same, and clean up.
func TestNotesDieAtEveryCall(t *testing.T) {
	for what, least := range map[string]int{"leaving": 8, "reading": 9} {
		for n := 1; ; n++ {
			survived := false
			bubble(t, func(t *testing.T, s *sim) { survived = dieAtNote(t, s, what == "reading", n) })
			if survived {
				if n <= least {
					t.Errorf("%s: only %d calls", what, n-1)
				}
				break
			}
		}
	}
}

// dieAtNote kills a waiter at its n-th call for notes, and reports whether it had no so many.
func dieAtNote(t *testing.T, s *sim, reading bool, n int) (survived bool) {
	s.ghost(time.Minute, stamp.ClockHolder)
	if reading {
		s.newcomer("first", 0).try()
		time.Sleep(20 * time.Second)
	}
	victim, calls := s.newcomer("victim", 0), 0
	victim.on(func(op faultfs.Op) (func(error) error, error) {
		if strings.Contains(op.Path, auxSuffix) {
			if calls++; calls == n {
				victim.kill()
			}
		}
		return nil, nil
	})
	_, _ = victim.mutex().Acquire(context.Background())
	survived = !victim.isDead()
	for i := range 4 {
		if !s.newcomer(fmt.Sprint("w", i), 0).try() {
			continue
		}
		// Only a question what time it is may have stayed behind; the next who wait ask whether it is old.
		for _, name := range s.beside() {
			if !strings.HasPrefix(name, nowPrefix) {
				t.Errorf("reading %v, killed at call %d: left %q", reading, n, s.beside())
			}
		}
		time.Sleep(2 * oldNote)
		s.newcomer("last", 0).try()
		s.nothingLeft()
		return survived
	}
	if !survived {
		t.Errorf("reading %v, killed at call %d: not taken over", reading, n)
	}
	return survived
}
