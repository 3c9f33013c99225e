package memfs_test

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// Measured, on NFS: what a host unlinks while it has it open stays as .nfsXXXX; rmdir says ENOTEMPTY, on every host, until it is closed.
func TestSillyRename(t *testing.T) {
	play(t, []mount{nfs3, nfs4, zero}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, []byte("data"), 0o644), s.a.Create("/lock/z", nil, 0o644))
		closeStamp, closeZ := s.hold(s.a, stamp), s.hold(s.a, "/lock/z")
		again := s.hold(s.a, stamp)
		d := s.open(s.a, lock)
		s.must(d.Unlink("stamp"), s.a.Unlink("/lock/z"))
		s.saysOf("a's stat", syscall.ENOENT)(s.a.Stat(stamp))
		names := s.s.Names(lock)
		if len(names) != 2 || !strings.HasPrefix(names[0], ".nfs") || !strings.HasPrefix(names[1], ".nfs") {
			s.Fatalf("%q", names)
		}
		if i, _ := s.s.Lookup(lock + "/" + names[0]); i.Kind != fsys.KindRegular || i.Nlink != 1 {
			s.Errorf("%+v", i)
		}
		s.lists("a", d, names...)
		s.lists("b", s.open(s.b, lock), names...)
		s.says("a's rmdir", s.a.Rmdir(lock), syscall.ENOTEMPTY)
		s.says("b's rmdir", s.b.Rmdir(lock), syscall.ENOTEMPTY)
		s.says("a's unlink of it", s.a.Unlink(lock+"/"+names[0]), syscall.EBUSY)
		s.must(s.a.Create(stamp, nil, 0o644), s.a.Unlink(stamp)) // the name is free
		closeStamp()
		s.lists("a, while it is open twice", d, names...)
		again()
		s.lists("a, after one was closed", d, names[1])
		if s.name == "zero" {
			closeZ()
		} else {
			s.must(s.b.Unlink(lock + "/" + names[1])) // to another host it is a file
			defer closeZ()
		}
		s.must(s.b.Rmdir(lock))
		if len(s.s.Snapshot()) > 0 {
			s.Errorf("left behind: %v", s.s.Snapshot())
		}
	})
}

// Measured: B has it open, A unlinks it and removes the directory: both succeed on NFS. So they do locally, whoever has it open.
func TestOpenElsewhere(t *testing.T) {
	play(t, []mount{local, nfs3, nfs4}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		release := s.hold(s.b, stamp)
		if s.name == "local" {
			defer s.hold(s.a, stamp)()
		}
		s.must(removeBoth(s.a))
		release()
	})
}

// Measured, on SMB: whoever has it open, on whichever host, the name stays and rmdir says ENOTEMPTY until all have closed it.
func TestDeletePending(t *testing.T) {
	play(t, []mount{smb, zero}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		release, last := s.hold(s.b, stamp), s.hold(s.b, stamp)
		s.must(s.a.Unlink(stamp))
		for i, c := range s.hosts() {
			s.saysOf("stat", syscall.ENOENT)(c.Stat(stamp))
			if i == 0 {
				s.says("touch by the remover", c.Touch(stamp), syscall.ENOENT)
			}
			s.says("create", c.Create(stamp, nil, 0o644), syscall.EACCES)
			s.says("mkdir", c.Mkdir(stamp, 0o755), syscall.EACCES)
			s.says("unlink", c.Unlink(stamp), syscall.ENOENT)
			s.says("open", ignoreInfo(c.Open(stamp)), syscall.ENOENT)
			s.says("rename", c.Rename(stamp, "/x"), syscall.ENOENT)
			s.says("rename over", c.RenameOver(lock, stamp), syscall.EINVAL)
			s.says("rmdir", c.Rmdir(lock), syscall.ENOTEMPTY)
			s.says("mkdir of the directory", c.Mkdir(lock, 0o755), syscall.EEXIST)
			s.lists("list", s.open(c, lock), "stamp")
		}
		release()
		s.says("rmdir, while it is open once more", s.a.Rmdir(lock), syscall.ENOTEMPTY)
		time.Sleep(moment) // a listing may be remembered for as long as the directory's mtime is the same
		last()
		s.lists("list, then", s.open(s.a, lock))
		s.must(s.a.Rmdir(lock))
	})
}

// Measured, on SMB: one more beat succeeds, of a file whose deletion is pending, too.
func TestLastTouchOfPending(t *testing.T) {
	play(t, []mount{smb, zero}, func(s *scene) {
		s.file(s.a, "/x")
		s.must(s.b.Touch("/x"))
		defer s.hold(s.b, "/x")()
		s.must(s.a.Unlink("/x"))
		s.says("b's next touch", s.b.Touch("/x"), 0)
		s.says("b's second", s.b.Touch("/x"), syscall.ENOENT)
	})
}

// An outsider on the server, or on another kind of mount, sees the file itself and is not kept from removing it.
func TestPendingIsTheMountsAffair(t *testing.T) {
	play(t, []mount{smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		release := s.hold(s.a, stamp)
		s.must(s.a.Unlink(stamp))
		s.saysOf("local", 0)(s.s.Local().Stat(stamp))
		s.saysOf("nfs", 0)(s.s.NFS4("c").Stat(stamp))
		s.must(removeBoth(s.s.Local()))
		release()
		if len(s.s.Snapshot()) > 0 {
			s.Errorf("left behind: %v", s.s.Snapshot())
		}
	})
}

// What an outsider renamed is a file like any other.
func TestHiddenRenamed(t *testing.T) {
	play(t, []mount{nfs3, nfs4, smb}, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create(stamp, nil, 0o644))
		release := s.hold(s.a, stamp)
		s.must(s.a.Unlink(stamp))
		out := s.s.Local()
		hidden := lock + "/" + s.s.Names(lock)[0]
		s.must(out.Rename(hidden, "/kept"), out.Mkdir(hidden, 0o755))
		release()
		if got := len(s.s.Snapshot()); got != 3 {
			s.Errorf("%v", s.s.Snapshot())
		}
		s.saysOf("a", 0)(s.a.Stat("/kept"))
	})
}

// No two .nfs files are called the same, even if they have an inode number after each other. One is a change of its directory.
func TestSillyNames(t *testing.T) {
	play(t, []mount{nfs3, nfs4, zero}, func(s *scene) {
		seen := map[string]bool{}
		s.must(s.a.Mkdir(lock, 0o755))
		for range 3 {
			s.file(s.a, stamp)
			release := s.hold(s.a, stamp)
			time.Sleep(second)
			s.must(s.a.Unlink(stamp))
			dir, _ := s.s.Lookup(lock)
			s.mtime("the directory", dir, time.Now())
			seen[s.s.Names(lock)[0]] = true
			release()
		}
		if len(seen) != 3 {
			s.Errorf("%v", seen)
		}
	})
}

func TestOpenErrors(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create("/x", nil, 0o644))
		s.says("nothing", ignoreInfo(s.a.Open(stamp)), syscall.ENOENT)
		f, err := s.a.Open("/x")
		s.must(err, f.Close())
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			s.Error(err)
		}
	})
}
