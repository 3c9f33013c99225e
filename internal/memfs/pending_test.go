package memfs_test

import (
	"syscall"
	"testing"
	"time"
)

// Measured, on SMB: a directory that somebody has listed and not closed is removed when that is closed. Nobody sees it meanwhile, and nobody can
// make another; but what is in it is reached by its path.
func TestDirectoryPending(t *testing.T) {
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		d, release := s.open(s.b, lock), s.hold(s.b, lock)
		time.Sleep(2 * second)
		s.must(removeBoth(s.a))
		for range 2 {
			for _, c := range s.hosts() {
				s.says("mkdir", c.Mkdir(lock, 0o755), syscall.EEXIST)
				s.saysOf("stat", syscall.ENOENT)(c.Stat(lock))
				s.says("open", ignoreInfo(c.OpenDir(lock)), syscall.ENOENT)
				s.says("rmdir", c.Rmdir(lock), syscall.ENOENT)
			}
			time.Sleep(10 * second)
		}
		s.says("b's listing", ignoreInfo(d.List()), syscall.ENOENT)
		s.says("b's statfs", ignoreInfo(d.Traits()), syscall.ENOENT)
		s.saysOf("b's info", syscall.ENOENT)(d.Info())
		s.saysOf("to the server it is there", 0)(s.s.Local().Stat(lock))
		s.must(d.Create("x", nil, 0o644), s.b.Touch("/lock/x"), s.b.Create("/lock/y", nil, 0o644), s.b.Unlink("/lock/y"))
		s.saysOf("what is in it", 0)(d.Stat("x"))
		s.must(d.Unlink("x"))
		release()
		if len(s.s.Snapshot()) > 0 {
			s.Errorf("left behind: %v", s.s.Snapshot())
		}
		s.must(s.a.Mkdir(lock, 0o755))
	})
	play(t, []mount{smb}, func(s *scene) { // what is not empty when it is closed is there again
		s.must(s.a.Mkdir(lock, 0o755))
		d, release, last := s.open(s.b, lock), s.hold(s.b, lock), s.hold(s.a, lock)
		s.must(s.a.Rmdir(lock), d.Create("x", nil, 0o644))
		release()
		s.saysOf("while it is open once more", syscall.ENOENT)(s.b.Stat(lock))
		last()
		time.Sleep(second)
		s.saysOf("then", 0)(s.b.Stat(lock))
		s.says("a's mkdir", s.a.Mkdir(lock, 0o755), syscall.EEXIST)
		s.lists("a", s.open(s.a, lock), "x")
		s.must(s.a.Unlink("/lock/x"), s.a.Rmdir(lock))
	})
	play(t, []mount{smb}, func(s *scene) { // his own host too
		s.must(s.a.Mkdir(lock, 0o755))
		d, release := s.open(s.a, lock), s.hold(s.a, lock)
		s.must(s.a.Rmdir(lock))
		s.says("a's mkdir", s.a.Mkdir(lock, 0o755), syscall.EEXIST)
		s.says("a's create", d.Create("x", nil, 0o644), syscall.ENOENT)
		release()
		s.must(s.a.Mkdir(lock, 0o755))
	})
	play(t, []mount{smb}, func(s *scene) { // the server itself removes it at once
		s.must(s.a.Mkdir(lock, 0o755))
		release := s.hold(s.b, lock)
		s.must(s.a.Rmdir(lock), s.s.Local().Rmdir(lock), s.s.Local().Mkdir(lock, 0o755))
		release()
		s.saysOf("the new one", 0)(s.s.Local().Stat(lock))
	})
	play(t, []mount{local, nfs3, nfs4}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755))
		defer s.hold(s.b, lock)()
		s.must(s.a.Rmdir(lock), s.a.Mkdir(lock, 0o755))
	})
}

// Measured, on SMB: the host that made a file has it open for another second. What another host removes meanwhile is pending, and is
// touched all the same, until the name is asked for by force.
func TestLingers(t *testing.T) {
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.b.Create(stamp, nil, 0o644))
		time.Sleep(400 * moment)
		s.must(s.a.Unlink(stamp))
		s.says("a's rmdir", s.a.Rmdir(lock), syscall.ENOTEMPTY)
		s.lists("a", s.open(s.a, lock), "stamp")
		s.must(s.b.Touch(stamp), s.b.Touch(stamp))
		time.Sleep(599 * moment)
		s.must(s.b.Touch(stamp))
		s.says("a's rmdir, still", s.a.Rmdir(lock), syscall.ENOTEMPTY)
		time.Sleep(moment)
		s.must(s.a.Rmdir(lock))
		if len(s.s.Snapshot()) > 0 {
			s.Errorf("left behind: %v", s.s.Snapshot())
		}
	})
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.b.Create(stamp, nil, 0o644), s.a.Unlink(stamp), s.b.Touch(stamp))
		s.saysOf("b's forced stat", syscall.ENOENT)(s.b.Stat(stamp))
		s.says("b's touch after that", s.b.Touch(stamp), syscall.ENOENT)
		s.says("a's rmdir all the same", s.a.Rmdir(lock), syscall.ENOTEMPTY)
		time.Sleep(second)
		if got := len(s.s.Snapshot()); got != 1 { // whoever asks
			s.Errorf("%v", s.s.Snapshot())
		}
	})
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.b.Create(stamp, nil, 0o644), s.a.Rename(lock, "/away"))
		time.Sleep(second - moment)
		s.must(s.b.Touch(stamp), s.b.Touch(stamp))
		if i := s.stat(s.a, "/away/stamp"); !i.Mtime.Equal(time.Now()) {
			s.Errorf("it touched something else: %v", i)
		}
		time.Sleep(moment)
		s.says("b's touch, a second after it made the file", s.b.Touch(stamp), syscall.ENOENT)
	})
	play(t, []mount{smb}, func(s *scene) { // what it renames itself it has closed
		s.must(s.a.Create("/x", nil, 0o644), s.a.Rename("/x", "/y"))
		s.says("touch by the old name", s.a.Touch("/x"), syscall.ENOENT)
	})
	play(t, all, func(s *scene) { // its own removal is for real
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644), removeBoth(s.a))
	})
}
