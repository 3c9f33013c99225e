package memfs_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

func (s *scene) glance(c *memfs.Client, p string) fsys.Info {
	s.Helper()
	i, err := c.CachedStat(p)
	s.must(err)
	return i
}

// shows returns after how long b's plain stat, made each step, shows another mtime than before.
func (s *scene) shows(p string, old time.Time, step time.Duration) time.Duration {
	s.Helper()
	begun := time.Now()
	for s.glance(s.b, p).Mtime.Equal(old) {
		if time.Since(begun) > 2*time.Minute {
			s.Fatal("never shown")
		}
		time.Sleep(step)
	}
	return time.Since(begun)
}

// Measured: a plain stat shows another host's touch of a file after up to 3.0 s on NFS if it was first stat'ed just before, after
// 58 s if it had been stat'ed for 95 s; on SMB after 1.0 s. Of a directory after 30 s, and 1.0 s.
func TestGlanceAtTouched(t *testing.T) {
	for _, c := range []struct {
		what      string
		dir       bool
		looksFor  time.Duration
		nfs, zero time.Duration
	}{
		{"a file", false, 0, 3 * second, 60 * second},
		{"a file, long looked at", false, 95 * second, 58 * second, 25 * second},
		{"a directory", true, 0, 30 * second, 60 * second},
	} {
		t.Run(c.what, func(t *testing.T) {
			play(t, all, func(s *scene) {
				want := map[string]time.Duration{"nfs3": c.nfs, "nfs4": c.nfs, "smb": second, "zero": c.zero}
				if c.dir {
					s.must(s.a.Mkdir("/x", 0o755))
				} else {
					s.file(s.a, "/x")
				}
				time.Sleep(10 * second)
				old := s.glance(s.b, "/x").Mtime
				for range c.looksFor / second {
					time.Sleep(second)
					s.glance(s.b, "/x")
				}
				s.must(s.a.SetMtime("/x", time.Unix(1e9, 0)))
				if got := s.shows("/x", old, 100*moment); got != by(s, want) {
					s.Errorf("shown after %v, want %v", got, by(s, want))
				}
			})
		})
	}
}

// With actimeo it is for that long, and so are names.
func TestKeep(t *testing.T) {
	exists := map[string]time.Duration{"smb": 90 * second}
	path := map[string]time.Duration{"nfs3": 90 * second, "nfs4": 90 * second}
	missing := map[string]time.Duration{"nfs3": 90 * second, "nfs4": 90 * second, "smb": second}
	play(t, []mount{local, nfs3, nfs4, smb}, func(s *scene) {
		s.b.Keep(90 * second)
		s.must(s.a.Mkdir("/gone", 0o755), s.a.Mkdir("/moved", 0o755), s.a.Mkdir("/x", 0o755))
		s.saysOf("b", syscall.ENOENT)(s.b.Stat("/new"))
		old := s.glance(s.b, "/x").Mtime
		s.stat(s.b, "/gone")
		s.stat(s.b, "/moved")
		s.must(s.a.Rmdir("/gone"), s.a.Rename("/moved", "/away"), s.a.Mkdir("/new", 0o755), s.a.SetMtime("/x", time.Unix(1e9, 0)))
		begun := time.Now()
		for time.Since(begun) < 100*second {
			since := time.Since(begun)
			if got := s.glance(s.b, "/x").Mtime.Equal(old); got != (s.name != "local" && since < 90*second) {
				s.Errorf("after %v a plain stat shows the old time: %v", since, got)
			}
			err := s.b.Mkdir("/gone", 0o755)
			if (err != nil) != (since < by(s, exists)) {
				s.Errorf("after %v mkdir says %v", since, err)
			} else if err == nil {
				s.must(s.b.Rmdir("/gone"))
			}
			if _, err := s.b.OpenDir("/moved"); (err == nil) != (since < by(s, path) || since < by(s, exists)) {
				s.Errorf("after %v what was moved is opened: %v", since, err)
			}
			if _, err := s.b.OpenDir("/new"); (err != nil) != (since < by(s, missing)) {
				s.Errorf("after %v what is new is opened: %v", since, err)
			}
			time.Sleep(second)
		}
	})
}

// It is a look after the age that doubles it, not any; and a change makes it short again.
func TestGlanceAges(t *testing.T) {
	play(t, []mount{nfs3, nfs4}, func(s *scene) {
		s.file(s.a, "/x")
		for range 5 {
			s.stat(s.b, "/x")
			time.Sleep(second)
		}
		s.must(s.a.SetMtime("/x", time.Unix(1e9, 0)))
		if got := s.shows("/x", s.glance(s.b, "/x").Mtime, 100*moment); got != 5*second {
			s.Errorf("shown after %v, want 6 s after the last forced stat", got)
		}
		for range 90 {
			time.Sleep(second)
			s.glance(s.b, "/x")
		}
		s.must(s.a.SetMtime("/x", time.Unix(2e9, 0)))
		s.shows("/x", time.Unix(1e9, 0), second)
		s.must(s.a.SetMtime("/x", time.Unix(3e9, 0)))
		if got := s.shows("/x", time.Unix(2e9, 0), 100*moment); got != 3*second {
			s.Errorf("shown after %v, want 3 s after a change was seen", got)
		}
	})
}

// A name that is another file by now is not taken for the old one once the server was asked for any reason.
func TestGlanceAtReplaced(t *testing.T) {
	play(t, all, func(s *scene) {
		s.file(s.a, "/x")
		s.stat(s.b, "/x")
		s.must(s.a.Unlink("/x"), s.a.Create("/x", nil, 0o600))
		s.hold(s.b, "/x")()
		if got := s.glance(s.b, "/x"); got.Mode != 0o600 {
			s.Errorf("%+v", got)
		}
	})
}

// Measured: "A unlinks file; B stat ENOENT" after 3.0 s on NFS, 1.0 s on SMB; "A rmdir" after up to 30 s, 1.0 s.
func TestGlanceAtRemoved(t *testing.T) {
	for what, want := range map[string]map[string]time.Duration{
		"file":      {"nfs3": 3 * second, "nfs4": 3 * second, "smb": second, "zero": time.Minute},
		"directory": {"nfs3": 30 * second, "nfs4": 30 * second, "smb": second, "zero": time.Minute},
	} {
		t.Run(what, func(t *testing.T) {
			play(t, all, func(s *scene) {
				remove := s.a.Unlink
				if what == "file" {
					s.file(s.a, "/x")
				} else {
					s.must(s.a.Mkdir("/x", 0o755))
					remove = s.a.Rmdir
				}
				s.stat(s.b, "/x") // a forced one is remembered, too
				s.must(remove("/x"))
				if by(s, want) > 0 {
					time.Sleep(by(s, want) - moment)
					s.saysOf("b, just before", 0)(s.b.CachedStat("/x"))
					time.Sleep(moment)
				}
				s.saysOf("b, then", syscall.ENOENT)(s.b.CachedStat("/x"))
			})
		})
	}
}

// A host's own changes are in its memory at once, and what the server is asked by force is.
func TestGlanceAtOwn(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), s.b.Mkdir("/dir", 0o755))
		d := s.open(s.b, lock).(memfs.CachedStater)
		for range 3 {
			s.glance(s.b, stamp)
			time.Sleep(2 * second)
			s.must(s.b.Touch(stamp))
			if got := s.glance(s.b, stamp); got != s.stat(s.b, stamp) {
				s.Errorf("after its own touch: %+v", got)
			}
			s.must(s.a.SetMtime(stamp, time.Unix(1e9, 0)))
			now := s.stat(s.b, stamp)
			if got, err := d.CachedStat("stamp"); got != now || err != nil {
				s.Errorf("after a forced stat: %+v, %v", got, err)
			}
		}
		s.must(s.b.Unlink(stamp), s.b.Rmdir(lock))
		s.saysOf("after its own unlink", syscall.ENOENT)(s.b.CachedStat(stamp))
		s.saysOf("after its own rmdir", syscall.ENOENT)(s.b.CachedStat(lock))
		s.saysOf("below what is gone", syscall.ENOENT)(s.b.CachedStat(stamp))
	})
}

// A plain stat goes by remembered directories, too.
func TestGlanceBelowRemoved(t *testing.T) {
	there := map[string]time.Duration{"nfs3": 3 * second, "nfs4": 3 * second, "smb": second, "zero": time.Minute}
	play(t, remote, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		s.stat(s.b, stamp)
		s.must(removeBoth(s.a), s.a.Mkdir(lock, 0o755))
		time.Sleep(by(s, there) - moment)
		s.saysOf("b, just before", 0)(s.b.CachedStat(stamp))
		time.Sleep(moment)
		s.saysOf("b, then", syscall.ENOENT)(s.b.CachedStat(stamp))
	})
}
