package dirlock

import (
	"fmt"
	"path"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A note that says nothing true about this very mtime, or is no note, does not make an owner any older.
func TestNotesThatLie(t *testing.T) {
	longAgo := func(s *sim, p string) { // the liar's note is from long ago
		if err := s.server.Local().SetMtime(p, time.Now().Add(-24*time.Hour)); err != nil {
			s.t.Fatal(err)
		}
	}
	put := func(s *sim, name string, at time.Time) string {
		p := path.Join(simAux, noteName(name, at))
		if err := s.server.Local().Mkdir(p, 0o755); err != nil {
			s.t.Fatal(err)
		}
		return p
	}
	other := stamp.Stamp{Version: 1, UUID: uuid.New(), PID: 1}
	for _, c := range []struct {
		what string
		lie  func(s *sim, name string, g *ghost)
		left bool // it is not ours to remove
	}{
		{"another mtime", func(s *sim, name string, g *ghost) {
			longAgo(s, put(s, name, g.mtime().Add(1)))
			longAgo(s, put(s, name, g.mtime().Add(-1)))
			longAgo(s, put(s, name, time.Unix(g.mtime().Unix()+18446744073, int64(g.mtime().Nanosecond())+709551616))) // 1<<64 ns
		}, false},
		{"another stamp", func(s *sim, name string, g *ghost) {
			longAgo(s, put(s, other.Name(), g.mtime()))
			longAgo(s, put(s, "", g.mtime()))
			longAgo(s, put(s, stamp.Prefix+"x", g.mtime()))
		}, false},
		{"from the future", func(s *sim, name string, g *ghost) {
			p := put(s, name, g.mtime())
			_ = s.server.Local().SetMtime(p, time.Now().Add(24*time.Hour))
		}, false},
		{"a file", func(s *sim, name string, g *ghost) {
			p := path.Join(simAux, noteName(name, g.mtime()))
			_ = s.server.Local().Create(p, nil, 0o644)
			longAgo(s, p)
		}, true},
		{"with a file in it", func(s *sim, name string, g *ghost) {
			p := put(s, name, g.mtime())
			_ = s.server.Local().Create(path.Join(p, "x"), nil, 0o644)
			longAgo(s, p)
		}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				g := s.ghost(time.Minute, stamp.ClockHolder)
				if err := s.server.Local().Mkdir(simAux, 0o755); err != nil {
					t.Fatal(err)
				}
				c.lie(s, path.Base(g.path), g)
				b := s.newcomer("two", 0)
				var l *Lock
				between(t, "takeover", since(func() { l = b.acquire(time.Minute) }), 30*time.Second, 31*time.Second)
				if n := len(s.beside()); c.left != (n == 1) { // while the lock is held already: no other stamp counts
					t.Errorf("beside the lock: %q", s.beside())
				}
				_ = l.Release()
				if !c.left {
					s.nothingLeft()
				}
			})
		})
	}
}

// A note from the future keeps no better one out.
func TestNotesReplaceTheFuture(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		s.ghost(time.Minute, stamp.ClockHolder)
		s.server.Step(24 * time.Hour)
		s.newcomer("first", 0).try()
		s.server.Step(-24 * time.Hour)
		total := since(func() {
			for i := range 6 {
				if s.newcomer(fmt.Sprint("w", i), 0).try() {
					return
				}
			}
		})
		between(t, "takeover", total, 30*time.Second, repairBound)
	})
}

// A note that a cached listing does not show is found when one's own is refused.
func TestNotesBehindAStaleListing(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		s.ghost(time.Minute, stamp.ClockHolder)
		s.newcomer("first", 0).try()
		time.Sleep(time.Minute)
		b, missed := s.newcomer("two", 0), false
		b.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "opendir" && op.Path == simAux && !missed {
				missed = true
				return nil, syscall.ENOENT
			}
			return nil, nil
		})
		between(t, "takeover", since(func() { b.acquire(0) }), 6*time.Second, 6500*time.Millisecond)
	})
}

// A note that is younger than what this process saw itself makes nothing younger.
func TestNotesYoungerThanOnesOwn(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		s.ghost(time.Minute, stamp.ClockHolder)
		b := s.newcomer("two", 0)
		total := since(func() {
			b.try()
			_ = s.server.Local().Rmdir(path.Join(simAux, s.beside()[0])) // by a person
			time.Sleep(5 * time.Second)
			s.newcomer("three", 0).try()
			b.acquire(0)
		})
		between(t, "takeover", total, 30*time.Second, 32*time.Second)
	})
}
