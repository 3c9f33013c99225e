package memfs_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

func TestSnapshot(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir("/a", 0o750), s.a.Mkdir("/a/sub", 0o755), s.a.Create("/a/sub/file", []byte("data"), 0o600), s.a.Mkdir("/a-b", 0o755))
		now := time.Now().Round(0)
		want := []memfs.Node{
			{Path: "/a", Kind: fsys.KindDir, Mode: 0o750, Mtime: now}, {Path: "/a-b", Kind: fsys.KindDir, Mode: 0o755, Mtime: now},
			{Path: "/a/sub", Kind: fsys.KindDir, Mode: 0o755, Mtime: now},
			{Path: "/a/sub/file", Kind: fsys.KindRegular, Mode: 0o600, Content: "data", Mtime: now},
		}
		if got := s.s.Snapshot(); !slices.Equal(got, want) {
			s.Errorf("%v, want %v", got, want)
		}
		time.Sleep(second)
		s.must(s.a.Touch("/a/sub/file"))
		if sameNodes(want, s.s.Snapshot()) {
			s.Error("a touch does not show")
		}
	})
}

// The truth is what the server has, whatever a client remembers.
func TestTruth(t *testing.T) {
	play(t, all, func(s *scene) {
		s.b.Stat(lock)
		if _, there := s.s.Lookup(lock); there || s.s.Names(lock) != nil {
			s.Error("nothing there, and it says so not")
		}
		s.must(s.a.Mkdir(lock, 0o755), s.a.Create("/lock/b", nil, 0o644), s.a.Create("/lock/a", []byte("12"), 0o640))
		if got := s.s.Names(lock); !slices.Equal(got, []string{"a", "b"}) {
			s.Errorf("%q", got)
		}
		want := fsys.Info{Kind: fsys.KindRegular, Mode: 0o640, Size: 2, Mtime: time.Now().Round(0), Nlink: 1, Dev: 1, Ino: 4}
		if got, there := s.s.Lookup("/lock/a"); !there || got != want {
			s.Errorf("%+v, want %+v", got, want)
		}
		if got, there := s.s.Lookup("/"); !there || got.Ino != 1 {
			s.Errorf("the root: %+v", got)
		}
	})
}

// As on ext4: a number comes back at once, the lowest first; not that of a directory which somebody on this machine has open.
func TestInodeNumbers(t *testing.T) {
	play(t, all, func(s *scene) {
		ino := func(p string) uint64 {
			i, _ := s.s.Lookup(p)
			return i.Ino
		}
		s.must(s.a.Mkdir("/2", 0o755), s.a.Create("/3", nil, 0o644), s.a.Mkdir("/4", 0o755), s.a.Rmdir("/4"), s.a.Rmdir("/2"))
		s.must(s.b.Mkdir("/x", 0o755), s.b.Create("/y", nil, 0o644), s.b.Mkdir("/z", 0o755))
		if got := []uint64{ino("/x"), ino("/y"), ino("/z")}; !slices.Equal(got, []uint64{2, 4, 5}) {
			s.Errorf("%d", got)
		}
		d := s.open(s.a, "/x")
		s.must(s.b.Rmdir("/x"), s.b.Mkdir("/x", 0o755))
		want := uint64(2)
		if s.name == "local" {
			want = 6
		}
		if ino("/x") != want {
			s.Errorf("%d while the directory is open, want %d", ino("/x"), want)
		}
		s.must(d.Close(), s.a.Mkdir("/w", 0o755))
		if s.name == "local" && ino("/w") != 2 {
			s.Errorf("%d after it was closed", ino("/w"))
		}
		time.Sleep(second)
		release := s.hold(s.s.Local(), "/y")
		s.must(s.s.Local().Unlink("/y"), s.a.Create("/v", nil, 0o644))
		if ino("/v") == 4 {
			s.Error("the number of an open file")
		}
		release()
		s.must(s.a.Create("/u", nil, 0o644))
		if ino("/u") != 4 {
			s.Errorf("%d after it was closed", ino("/u"))
		}
	})
}

func TestRename(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir("/full", 0o755), s.a.Create("/full/x", []byte("1"), 0o644), s.a.Mkdir("/empty", 0o755),
			s.a.Mkdir("/dir", 0o755), s.a.Create("/file", []byte("2"), 0o644), s.a.Create("/other", nil, 0o644))
		for _, c := range []struct {
			from, to    string
			plain, over syscall.Errno
		}{
			{"/missing", "/x", syscall.ENOENT, syscall.ENOENT},
			{"/dir", "/missing/x", syscall.ENOENT, syscall.ENOENT},
			{"/dir", "/file/x", syscall.ENOTDIR, syscall.ENOTDIR},
			{"/dir", "/full", syscall.EEXIST, syscall.ENOTEMPTY},
			{"/dir", "/file", syscall.EEXIST, syscall.ENOTDIR},
			{"/file", "/dir", syscall.EEXIST, syscall.EISDIR},
			{"/full", "/full/sub", syscall.EINVAL, syscall.EINVAL},
			{"/full", "/full/x/y", syscall.ENOTDIR, syscall.ENOTDIR},
			{"/file", "/file", syscall.EEXIST, 0},
			{"/", "/x", syscall.EBUSY, syscall.EBUSY},
			{"/dir", "/", syscall.EBUSY, syscall.EBUSY},
		} {
			s.says("rename "+c.from+" "+c.to, s.a.Rename(c.from, c.to), c.plain)
			s.says("rename over "+c.from+" "+c.to, s.a.RenameOver(c.from, c.to), c.over)
		}
		before := s.s.Names("/")
		s.says("onto an empty one", s.a.Rename("/full", "/empty"), syscall.EEXIST)
		s.must(s.a.RenameOver("/full", "/empty")) // measured: it replaces an empty directory, on each of the mounts
		s.lists("what is there now", s.open(s.a, "/empty"), "x")
		s.must(s.a.RenameOver("/file", "/other"), s.a.Rename("/other", "/empty/file"), s.a.Rename("/empty", "/dir2"))
		if got := s.s.Names("/"); !slices.Equal(got, []string{"dir", "dir2"}) {
			s.Errorf("%q, was %q", got, before)
		}
		if i, _ := s.s.Lookup("/dir2/file"); i.Size != 1 {
			s.Errorf("%+v", i)
		}
		time.Sleep(second)
		s.must(s.b.Rename("/dir2/file", "/file"))
		for _, p := range []string{"/", "/dir2"} {
			i, _ := s.s.Lookup(p)
			s.mtime(p, i, time.Now())
		}
	})
}

// What a host renamed itself it knows; what was replaced while somebody has it open SMB refuses.
func TestOwnRename(t *testing.T) {
	play(t, all, func(s *scene) {
		s.must(s.a.Mkdir("/one", 0o755), s.a.Mkdir("/two", 0o755), s.a.Create("/one/x", nil, 0o644))
		one, two := s.open(s.a, "/one"), s.open(s.a, "/two")
		s.lists("one", one, "x")
		s.lists("two", two)
		s.must(s.a.RenameOver("/one/x", "/two/y"))
		s.lists("one, then", one)
		s.lists("two, then", two, "y")
		s.saysOf("the old name", syscall.ENOENT)(s.a.Stat("/one/x"))
		s.must(s.b.Create("/one/x", nil, 0o644))
		if s.name == "nfs3" || s.name == "nfs4" {
			s.saysOf("the old name is missing", syscall.ENOENT)(s.a.Stat("/one/x"))
		}
		s.must(s.b.Unlink("/two/y"))
		if s.name == "nfs3" || s.name == "smb" {
			s.says("the last touch by the new name", s.a.Touch("/two/y"), 0)
		}
	})
	play(t, []mount{nfs3, smb}, func(s *scene) {
		s.must(s.a.Create("/x", nil, 0o644), s.a.Create("/y", nil, 0o644))
		release, want := s.hold(s.a, "/y"), map[string]syscall.Errno{"smb": syscall.EACCES}
		s.says("over an open file", s.a.RenameOver("/x", "/y"), by(s, want))
		release()
		s.a.RenameOver("/x", "/y")
		before := s.s.Snapshot()
		time.Sleep(second)
		s.must(s.a.RenameOver("/y", "/y"))
		if got := s.s.Snapshot(); len(got) != 1 || !sameNodes(got, before) {
			s.Errorf("%v, was %v", got, before)
		}
		if i, _ := s.s.Lookup("/"); i.Mtime.Equal(time.Now()) {
			s.Error("onto itself is no change")
		}
	})
}

// What a caller may get wrong makes no odd entries.
func TestOddPaths(t *testing.T) {
	play(t, all, func(s *scene) {
		s.says("mkdir /", s.a.Mkdir("/", 0o755), syscall.EEXIST)
		s.says("rmdir /", s.a.Rmdir("/"), syscall.EBUSY)
		s.says("unlink /", s.a.Unlink("/"), syscall.EBUSY)
		s.says("touch /", s.a.Touch("/"), 0)
		s.must(s.a.Mkdir("/dir/", 0o755), s.a.Mkdir("//dir/./sub", 0o755), s.a.Mkdir("/dir/sub/../x/", 0o755))
		d := s.open(s.a, "/dir/.")
		s.says("a slash", d.Create("a/b", nil, 0o644), syscall.EINVAL)
		s.says("a NUL", d.Create("a\x00b", nil, 0o644), syscall.EINVAL)
		s.says("nothing", d.Create("", nil, 0o644), syscall.ENOENT)
		s.lists("/dir", d, "sub", "x")
		if got := s.s.Names("/"); !slices.Equal(got, []string{"dir"}) {
			s.Errorf("%q", got)
		}
	})
}
