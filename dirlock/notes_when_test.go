package dirlock

import (
	"context"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

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
				if n := p.did("mkdir " + notePrefix); n < c.want || c.want == 0 && n > 0 {
					t.Errorf("%d attempts at a note, want %d", n, c.want)
				}
				if n := p.did("opendir lock" + auxSuffix); c.want == 0 && n > 0 && p.client.Kind.Beats != fsys.ClockFS { // there, to sweep its probe
					t.Errorf("%d looks for a note", n)
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
		c := s.proc("one") // on the server itself, so that its own lock needs no sweeping
		if !c.try() || c.did("opendir lock"+auxSuffix) != 1 {
			t.Fatal("not taken over by the kernel's word, or looked for notes before")
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

// Three beats are counted as the stamp declares them; less is no reason for a note.
func TestNotesCountTheOwnersBeats(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		g := s.ghostOf(0, stamp.ClockHolder, 5*time.Second)
		if s.newcomer("two", 0).try(); len(s.beside()) != 0 {
			t.Errorf("a note after two beats: %q", s.beside())
		}
		if s.newcomer("three", 0).wait(16 * time.Second); len(s.beside()) != 1 {
			t.Errorf("no note after three beats: %q", s.beside())
		}
		_ = g
	})
	bubble(t, func(t *testing.T, s *sim) {
		g := s.ghost(0, stamp.ClockHolder)
		go func() {
			for range 20 {
				time.Sleep(2700 * time.Millisecond)
				_ = g.Touch(g.path)
			}
		}()
		if b := s.newcomer("two", 0); b.wait(20*time.Second) || b.noted() != 0 {
			t.Errorf("%d notes about one that misses two beats at times", b.noted())
		}
	})
}

// What does not work is tried once a heartbeat, and costs nothing but the time.
func TestNotesThatCannotBeLeft(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		s.ghost(0, stamp.ClockHolder)
		b := s.newcomer("two", 0)
		b.on(func(op faultfs.Op) (func(error) error, error) {
			if op.Call == "mkdir" && op.Path == simAux {
				return nil, syscall.EACCES
			}
			return nil, nil
		})
		between(t, "takeover", since(func() { b.acquire(time.Minute) }), 30*time.Second, 31*time.Second)
		if n := b.did("mkdir lock" + auxSuffix); n < 20 || n > 28 {
			t.Errorf("%d attempts in the 27 s after three beats", n)
		}
	})
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
