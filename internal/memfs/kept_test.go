package memfs_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// Measured, on SMB: a directory that another host has removed can be opened for another second, and the server then knows nothing of it.
// Mkdir says EEXIST all the while. Neither that what is done in it fails ends this, nor that it cannot be listed; a forced stat does, of the
// name or of the open directory.
func TestOpenRemovedFromMemory(t *testing.T) {
	ends := map[string]func(*scene, fsys.Dir){
		"by name":   func(s *scene, _ fsys.Dir) { s.saysOf("b's stat", syscall.ENOENT)(s.b.Stat(lock)) },
		"by handle": func(s *scene, d fsys.Dir) { s.saysOf("b's info", syscall.ENOENT)(d.Info()) },
	}
	for how, end := range ends {
		t.Run(how, func(t *testing.T) {
			play(t, []mount{smb}, func(s *scene) {
				s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
				s.stat(s.b, lock)
				s.stat(s.b, stamp)
				time.Sleep(500 * moment)
				s.must(removeBoth(s.a))
				s.says("b's mkdir", s.b.Mkdir(lock, 0o755), syscall.EEXIST)
				d := s.open(s.b, lock)
				s.says("statfs", ignoreInfo(d.Traits()), syscall.ENOENT)
				s.says("list", ignoreInfo(d.List()), syscall.ENOENT)
				s.says("create", d.Create("x", nil, 0o644), syscall.ENOENT)
				s.says("create by path", s.b.Create("/lock/x", nil, 0o644), syscall.ENOENT)
				s.says("unlink", d.Unlink("x"), syscall.ENOENT)
				s.saysOf("stat", syscall.ENOENT)(d.Stat("x"))
				s.says("touch by path", s.b.Touch(stamp), syscall.ENOENT)
				s.saysOf("stat by path", syscall.ENOENT)(s.b.Stat(stamp))
				time.Sleep(499 * moment)
				s.says("b's mkdir, still", s.b.Mkdir(lock, 0o755), syscall.EEXIST)
				end(s, d)
				s.says("b's mkdir, after a forced stat", s.b.Mkdir(lock, 0o755), 0)
			})
		})
	}
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755))
		s.stat(s.b, lock)
		s.must(s.a.Rename(lock, "/away"))
		s.says("b's mkdir, of what was moved away", s.b.Mkdir(lock, 0o755), syscall.EEXIST)
		s.says("list", ignoreInfo(s.open(s.b, lock).List()), syscall.ENOENT)
		s.says("b's mkdir, still", s.b.Mkdir(lock, 0o755), syscall.EEXIST)
		time.Sleep(second)
		s.says("open, a second later", ignoreInfo(s.b.OpenDir(lock)), syscall.ENOENT)
		s.must(s.b.Mkdir(lock, 0o755))
	})
	play(t, []mount{nfs3, nfs4}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755))
		s.stat(s.b, lock)
		s.must(s.a.Rmdir(lock))
		s.says("open", ignoreInfo(s.b.OpenDir(lock)), syscall.ENOENT)
	})
}

// Measured, on SMB: an open directory is a path to the server. Of one that was moved away it knows nothing, and what has taken its place is what
// is changed through it, until the directory itself is asked for by force.
func TestHandleIsPath(t *testing.T) {
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		d := s.open(s.b, lock)
		s.lists("b", d, "stamp")
		s.must(s.a.Rename(lock, "/away"))
		s.saysOf("b's stat", syscall.ENOENT)(d.Stat("stamp"))
		s.says("b's unlink", d.Unlink("stamp"), syscall.ENOENT)
		s.says("b's create", d.Create("x", nil, 0o644), syscall.ENOENT)
		s.says("b's listing", ignoreInfo(d.List()), syscall.ENOENT)
		s.says("b's chmod", d.Grant(0o700), syscall.ENOENT)
		s.says("statfs", ignoreInfo(d.Traits()), syscall.ENOENT)

		s.must(s.a.Mkdir(lock, 0o755), s.a.Create("/lock/new", nil, 0o644))
		s.must(d.Create("mine", nil, 0o644))
		s.saysOf("b's stat of the new one's file", 0)(d.Stat("new"))
		time.Sleep(second)
		s.must(ignoreInfo(d.Traits()), d.Unlink("new"))
		s.says("b's second listing", ignoreInfo(d.List()), syscall.ESTALE)
		s.saysOf("b's info", syscall.ESTALE)(d.Info())
		s.lists("a", s.open(s.a, lock), "mine")
	})
	play(t, []mount{smb}, func(s *scene) { // one that was opened when it was another already, and not asked for
		s.must(s.a.Mkdir(lock, 0o755))
		s.stat(s.b, lock)
		s.must(s.a.Rename(lock, "/away"), s.a.Mkdir(lock, 0o755), s.a.Create("/lock/new", nil, 0o644))
		d := s.open(s.b, lock)
		s.lists("b", d, "new")
		s.must(d.Create("mine", nil, 0o644))
	})
	play(t, []mount{smb}, func(s *scene) { // of its own changes the host knows
		s.must(s.b.Mkdir(lock, 0o755), s.b.Mkdir("/other", 0o755))
		d, other := s.open(s.b, lock), s.open(s.b, "/other")
		s.must(s.b.Rename(lock, "/away"), s.b.Rmdir("/other"), s.a.Mkdir(lock, 0o755), s.a.Mkdir("/other", 0o755))
		s.must(d.Create("x", nil, 0o644))
		s.lists("what b moved away", s.open(s.a, "/away"), "x")
		s.says("what b removed", other.Create("x", nil, 0o644), syscall.ENOENT)
	})
	play(t, []mount{local, nfs3, nfs4}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755))
		d := s.open(s.b, lock)
		s.must(s.a.Rename(lock, "/away"), s.a.Mkdir(lock, 0o755), d.Create("x", nil, 0o644))
		s.lists("what was opened", d, "x")
		s.lists("what is there now", s.open(s.a, lock))
	})
}
