package dirlock

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

const simAux = simPath + auxSuffix

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
			longAgo(s, put(s, name, g.mtime().Add(1<<32*time.Second)))
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
				between(t, "takeover", since(func() { _ = b.acquire(time.Minute).Release() }), 30*time.Second, 31*time.Second)
				if !c.left {
					s.nothingLeft()
				} else if len(s.beside()) != 1 {
					t.Errorf("what is not ours was touched: %q", s.beside())
				}
			})
		})
	}
}

// Where a note would mean nothing, or nobody needs one, there is none.
func TestNotesOnlyWhereTheyHelp(t *testing.T) {
	patient := func(s *sim, p *simProc) {
		m := p.mutex()
		m.Wait = 20 * time.Second
		if l, err := m.Acquire(context.Background()); err == nil {
			_ = l.Release()
		}
	}
	for _, c := range []struct {
		what  string
		owner stamp.ClockSource
		set   func(p *simProc)
		call  func(s *sim, p *simProc)
		want  int
	}{
		{"smb", stamp.ClockHolder, func(p *simProc) { onSMB(p.client, 0) }, patient, 1},
		{"smb, an owner on nfs", stamp.ClockFS, func(p *simProc) { onSMB(p.client, 0) }, patient, 1},
		{"smb, an owner on who knows what", stamp.ClockUnknown, func(p *simProc) { onSMB(p.client, 0) }, patient, 1},
		{"nfs, an owner on smb", stamp.ClockHolder, func(p *simProc) { p.client.Kind.Local = false }, patient, 1},
		{"the server itself, an owner on smb", stamp.ClockHolder, func(p *simProc) {}, patient, 1},
		{"nfs", stamp.ClockFS, func(p *simProc) { p.client.Kind.Local = false }, patient, 0},
		{"who knows what", stamp.ClockHolder, func(p *simProc) { p.client.Kind = fsys.Traits{Type: "fuse"} }, patient, 0},
		{"smb, TryAcquire", stamp.ClockHolder, func(p *simProc) { onSMB(p.client, 0) }, func(s *sim, p *simProc) {
			for range 100 {
				_, _ = p.mutex().TryAcquire()
				time.Sleep(200 * time.Millisecond)
			}
		}, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				s.ghost(time.Minute, c.owner)
				p := s.proc("two")
				c.set(p)
				c.call(s, p)
				if n := p.noted(); n < c.want || c.want == 0 && n > 0 {
					t.Errorf("%d attempts at a note, want %d", n, c.want)
				}
				if n := len(s.beside()); n != c.want {
					t.Errorf("beside the lock: %q", s.beside())
				}
			})
		})
	}
}

// The kernel's word needs no notes; and who evicts by it removes those that foreigners left.
func TestNotesAndTheKernel(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.newcomer("one", time.Minute), s.newcomer("one", time.Minute)
		l := a.acquire(0)
		l.beat.Stop() // paused
		if b.try() || b.noted() != 0 {
			t.Fatalf("%d notes about one for whom the kernel vouches", b.noted())
		}
		a.die()
		if s.newcomer("two", 0).try() || len(s.beside()) != 1 {
			t.Fatalf("beside the lock: %q", s.beside())
		}
		if c := s.newcomer("one", time.Minute); !c.try() || c.noted() != 0 {
			t.Fatal("not taken over by the kernel's word")
		}
		s.nothingLeft()
	})
}

// Corrupt stamps, and a directory without one, age by notes too.
func TestNotesAboutTheNameless(t *testing.T) {
	for _, name := range []string{"", stamp.Prefix + "Not-A-Stamp", stamp.Prefix + strings.Repeat("x", 230)} {
		bubble(t, func(t *testing.T, s *sim) {
			c := s.server.Local()
			if err := c.Mkdir(simPath, 0o755); err != nil {
				t.Fatal(err)
			}
			if name != "" {
				if err := c.Create(path.Join(simPath, name), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if s.newcomer("two", 0).try() || len(s.beside()) != 1 {
				t.Fatalf("beside the lock: %q", s.beside())
			}
			time.Sleep(time.Minute)
			between(t, "takeover", since(func() {
				if !s.newcomer("three", 0).try() {
					t.Errorf("%q: not taken over", name)
				}
			}), 6*time.Second, 6500*time.Millisecond)
			s.nothingLeft()
		})
	}
}

// Nothing is put beside what may be somebody's data, or where directories have no time.
func TestNotesNotBesideData(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		c := s.server.Local()
		_, _ = c.Mkdir(simPath, 0o755), c.Create(simPath+"/thesis.txt", nil, 0o644)
		if b := s.newcomer("two", 0); b.try() || b.noted() != 0 {
			t.Error("a note beside somebody's data")
		}
	})
	bubble(t, func(t *testing.T, s *sim) {
		c := s.server.Local()
		_, _ = c.Mkdir(simPath, 0o755), c.SetMtime(simPath, time.Unix(0, 0))
		if b := s.newcomer("two", 0); b.try() || b.noted() != 0 {
			t.Error("a note about a directory without a time")
		}
	})
}

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
