package memfs_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// Measured: after another host's rmdir, mkdir by who just stat'ed the name succeeds at once on NFS and within 1.0 s on SMB;
// at once on SMB, too, after a forced stat. After its unlink O_EXCL does the same.
func TestExistsFromMemory(t *testing.T) {
	remembers := map[string]bool{"smb": true, "zero": true}
	for _, kind := range []struct {
		make   func(*memfs.Client) error
		remove func(*memfs.Client) error
	}{
		{func(c *memfs.Client) error { return c.Mkdir("/x", 0o755) }, func(c *memfs.Client) error { return c.Rmdir("/x") }},
		{func(c *memfs.Client) error { return c.Create("/x", nil, 0o644) }, func(c *memfs.Client) error { return c.Unlink("/x") }},
	} {
		play(t, all, func(s *scene) {
			answer := syscall.Errno(0)
			if by(s, remembers) {
				answer = syscall.EEXIST
			}
			s.must(kind.make(s.a))
			s.says("b, while it is there", kind.make(s.b), syscall.EEXIST)
			time.Sleep(400 * moment)
			s.must(kind.remove(s.a))
			s.says("b, at once", kind.make(s.b), answer)
			if answer == 0 {
				return
			}
			time.Sleep(599 * moment)
			s.says("b, just before the second is over", kind.make(s.b), answer)
			time.Sleep(moment)
			s.says("b, a second after it was told", kind.make(s.b), 0)

			s.must(kind.remove(s.b))
			s.must(kind.make(s.b)) // what it removed itself it knows
			s.must(kind.remove(s.b), kind.make(s.a))
			s.says("b", kind.make(s.b), syscall.EEXIST)
			s.must(kind.remove(s.a))
			s.says("b, from memory", kind.make(s.b), syscall.EEXIST)
			s.b.Stat("/x") // whatever it says: nlink 0, or not there
			_, err := s.b.Stat("/x")
			if s.mount.name == "smb" {
				s.says("b's forced stat", err, syscall.ENOENT)
				s.says("b, after a forced stat", kind.make(s.b), 0)
			}
		})
	}
}

// Measured: a name once looked up and not found stays missing for 30 s on NFS, by forced stat, too, for 1 s on SMB; mkdir says EEXIST at
// once, and then stat is right.
func TestMissingFromMemory(t *testing.T) {
	remembers := map[string]time.Duration{"nfs3": 30 * second, "nfs4": 30 * second, "smb": second, "zero": 30 * second}
	lookUps := map[string]func(*memfs.Client) error{
		"stat":    func(c *memfs.Client) error { return ignoreInfo(c.Stat("/x")) },
		"glance":  func(c *memfs.Client) error { return ignoreInfo(c.CachedStat("/x")) },
		"touch":   func(c *memfs.Client) error { return c.Touch("/x") },
		"unlink":  func(c *memfs.Client) error { return c.Unlink("/x") },
		"rmdir":   func(c *memfs.Client) error { return c.Rmdir("/x") },
		"below":   func(c *memfs.Client) error { return ignoreInfo(c.Stat("/x/y")) },
		"opendir": func(c *memfs.Client) error { _, err := c.OpenDir("/x"); return err },
		"open":    func(c *memfs.Client) error { _, err := c.Open("/x"); return err },
		"handle":  func(c *memfs.Client) error { d, _ := c.OpenDir("/"); return ignoreInfo(d.Stat("x")) },
	}
	for how, lookUp := range lookUps {
		t.Run(how, func(t *testing.T) {
			play(t, all, func(s *scene) {
				s.says("b's "+how, lookUp(s.b), syscall.ENOENT)
				s.must(s.a.Mkdir("/x", 0o755))
				if by(s, remembers) > 0 {
					for _, then := range []time.Duration{0, by(s, remembers) - moment} {
						time.Sleep(then)
						s.saysOf("b, for so long", syscall.ENOENT)(s.b.Stat("/x"))
						s.says("and opened", ignoreInfo(s.b.OpenDir("/x")), syscall.ENOENT)
						s.saysOf("and below", syscall.ENOENT)(s.b.Stat("/x/y"))
					}
					time.Sleep(moment)
				}
				s.saysOf("b, then", 0)(s.b.Stat("/x"))
			})
		})
	}
}

func ignoreInfo[T any](_ T, err error) error { return err }

// The same: what ends it.
func TestMissingNoLonger(t *testing.T) {
	ends := map[string]func(*scene){
		"forced stat of the parent": func(s *scene) { s.must(ignoreInfo(s.b.Stat("/"))) },
		"the parent's handle":       func(s *scene) { s.must(ignoreInfo(s.open(s.b, "/").Info())) },
		"a fresh listing":           func(s *scene) { s.lists("b", s.open(s.b, "/"), "x") },
		"mkdir":                     func(s *scene) { s.says("b", s.b.Mkdir("/x", 0o755), syscall.EEXIST) },
		"create":                    func(s *scene) { s.says("b", s.b.Create("/x", nil, 0o644), syscall.EEXIST) },
	}
	for how, end := range ends {
		t.Run(how, func(t *testing.T) {
			play(t, remote, func(s *scene) {
				s.saysOf("b, before", syscall.ENOENT)(s.b.Stat("/x"))
				s.must(s.a.Mkdir("/x", 0o755))
				s.must(ignoreInfo(s.b.CachedStat("/"))) // which is not forced
				s.saysOf("b, still", syscall.ENOENT)(s.b.Stat("/x"))
				end(s)
				if strings.Contains(how, "parent") && (s.name == "smb" || s.name == "zero") { // measured: not on SMB
					s.saysOf("b, even then", syscall.ENOENT)(s.b.Stat("/x"))
					return
				}
				s.saysOf("b, then", 0)(s.b.Stat("/x"))
			})
		})
	}
}

// The same: what is missing cannot be removed either.
func TestMissingIsNotRemoved(t *testing.T) {
	play(t, []mount{nfs3, nfs4, zero}, func(s *scene) {
		s.b.Stat("/dir")
		s.b.Stat("/file")
		s.must(s.a.Mkdir("/dir", 0o755), s.a.Create("/file", nil, 0o644))
		s.says("b's rmdir", s.b.Rmdir("/dir"), syscall.ENOENT)
		s.says("b's unlink", s.b.Unlink("/file"), syscall.ENOENT)
		if got := len(s.s.Names("/")); got != 2 {
			s.Errorf("%d left", got)
		}
		time.Sleep(30 * second)
		s.must(s.b.Rmdir("/dir"), s.b.Unlink("/file"))
	})
	play(t, []mount{smb}, func(s *scene) { // measured: here it is, and touched
		for _, p := range []string{"/dir", "/file", "/touched"} {
			s.b.Stat(p)
		}
		s.must(s.a.Mkdir("/dir", 0o755), s.a.Create("/file", nil, 0o644), s.a.Create("/touched", nil, 0o644))
		s.must(s.b.Rmdir("/dir"), s.b.Unlink("/file"), s.b.Touch("/touched"))
		s.saysOf("b", 0)(s.b.Stat("/touched"))
	})
}

// What a host removed itself is missing to it in the same way: the kernel keeps the name.
func TestMissingAfterOwnRemoval(t *testing.T) {
	play(t, []mount{nfs3, nfs4, zero}, func(s *scene) {
		s.must(s.a.Mkdir("/x", 0o755), s.a.Rmdir("/x"), s.b.Mkdir("/x", 0o755))
		s.saysOf("a", syscall.ENOENT)(s.a.Stat("/x"))
		s.says("a", s.a.Mkdir("/x", 0o755), syscall.EEXIST)
		s.saysOf("a", 0)(s.a.Stat("/x"))
	})
}

// Measured: on NFS stat and utimes by path reach a directory that another host has renamed away, for 30 s or until the one that it
// was in is asked for, while mkdir succeeds; elsewhere utimes says ENOENT.
func TestRenamedAway(t *testing.T) {
	follows := map[string]bool{"nfs3": true, "nfs4": true, "zero": true}
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), s.b.Touch(stamp))
		old := s.stat(s.b, lock)
		time.Sleep(second)
		s.must(s.a.Rename(lock, "/away"))
		if !by(s, follows) {
			s.says("b's touch", s.b.Touch(stamp), syscall.ENOENT)
			s.saysOf("b's stat", syscall.ENOENT)(s.b.Stat(lock))
			return
		}
		time.Sleep(29*second - moment)
		if s.must(s.b.Touch(stamp)); !s.stat(s.a, "/away/stamp").Mtime.Equal(s.stat(s.b, stamp).Mtime) {
			s.Error("b touched something else")
		}
		if got := s.stat(s.b, lock); got.Ino != old.Ino || got.Nlink != 1 {
			s.Errorf("b's stat: %+v, want %+v", got, old)
		}
		time.Sleep(moment)
		s.says("b's touch, 30 s after the path was last true", s.b.Touch(stamp), syscall.ENOENT)
	})
	play(t, []mount{nfs3, nfs4}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), s.b.Touch(stamp), s.a.Rename(lock, "/away"), s.b.Touch(stamp))
		s.stat(s.b, "/")
		s.says("b's touch after a stat of the parent", s.b.Touch(stamp), syscall.ENOENT)
	})
	play(t, []mount{nfs3}, func(s *scene) { // an open is for real
		s.file(s.a, "/x")
		s.stat(s.b, "/x")
		s.must(s.a.Rename("/x", "/away"))
		s.saysOf("b's stat", 0)(s.b.Stat("/x"))
		s.says("b's open", ignoreInfo(s.b.Open("/x")), syscall.ENOENT)
	})
	play(t, []mount{nfs3}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755))
		s.stat(s.b, lock)
		s.must(s.a.Rename(lock, "/away"))
		s.stat(s.b, lock)
		s.must(s.b.Mkdir(lock, 0o755)) // at once
		if s.stat(s.b, lock).Ino == s.stat(s.b, "/away").Ino {
			s.Error("b does not see the directory that it made")
		}
	})
}
