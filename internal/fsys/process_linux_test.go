package fsys_test

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
)

// TestUmask: a stamp that a colleague cannot read is one that he cannot repair.
func TestUmask(t *testing.T) {
	if !isolated(t, &syscall.SysProcAttr{}) {
		return
	}
	unix.Umask(0o077)
	f := fsys.OS()
	for _, dir := range mounts(t) {
		must(t, os.Chmod(dir, 0o775))
		for _, mode := range []fs.FileMode{0o644, 0o600, 0o666} {
			must(t, f.Create(dir+"/file", []byte("x"), mode))
			if i, err := f.Stat(dir + "/file"); err != nil || i.Mode != mode {
				t.Errorf("created with mode %v, asked for %v: %v", i.Mode, mode, err)
			}
			must(t, f.Unlink(dir+"/file"))
		}
		// Nor is a probe directory that only its maker can use of any use to others.
		_, err := fsys.ProbeClock(f, dir+"/aux")
		must(t, err)
		if i, err := f.Stat(dir + "/aux"); err != nil || i.Mode != 0o775 {
			t.Errorf("the probe's directory has mode %v, %v; its parent 0775", i.Mode, err)
		}
		must(t, f.Mkdir(dir+"/dir", 0o755))
		if i, err := f.Stat(dir + "/dir"); err != nil || i.Mode != 0o700 {
			t.Errorf("mkdir gave %v, %v: no single mkdir(2)", i.Mode, err)
		}
	}
}

// TestTouchNeedsNoOwnership: beats go on where another user owns the file, and ownership alone is needed for SetMtime.
func TestTouchNeedsNoOwnership(t *testing.T) {
	const nobody = 65534
	if !isolated(t, &syscall.SysProcAttr{}) {
		return
	}
	if os.Getuid() != 0 {
		t.Skip("needs root, to make a file for another user")
	}
	dir := mounts(t)["tmpfs"]
	file := dir + "/file"
	must(t, os.Chmod(dir, 0o755))
	must(t, os.WriteFile(file, nil, 0o666))
	must(t, os.Chmod(file, 0o666))
	f := fsys.OS()
	must(t, f.SetMtime(file, epoch))
	must(t, syscall.Setresuid(-1, nobody, -1))
	must(t, f.Touch(file))
	if i, err := f.Stat(file); err != nil || !i.Mtime.After(epoch) {
		t.Errorf("touched: %v, %v", i.Mtime, err)
	}
	if err := f.SetMtime(file, epoch); !fsys.Is(err, fsys.Access) {
		t.Errorf("set the time of another user's file: %v", err)
	}
	for op, err := range map[string]error{
		"mkdir": f.Mkdir(dir+"/x", 0o755), "create": f.Create(dir+"/x", nil, 0o644), "unlink": f.Unlink(file),
	} {
		if !fsys.Is(err, fsys.Access) || fsys.Created(err) {
			t.Errorf("%s without permission: %v", op, err)
		}
	}
	must(t, syscall.Setresuid(-1, 0, -1))
}

func TestOutOfDescriptors(t *testing.T) {
	if !isolated(t, &syscall.SysProcAttr{}) {
		return
	}
	f := fsys.OS()
	dir := t.TempDir()
	d, err := f.OpenDir(dir)
	must(t, err)
	defer d.Close()
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: 4096}))
	_, openErr := f.OpenDir(dir)
	_, resolveErr := f.Resolve(dir)
	for op, err := range map[string]error{"create": d.Create("x", nil, 0o644), "open": openErr, "resolve": resolveErr} {
		if !fsys.Is(err, fsys.TooManyFiles) || fsys.Created(err) {
			t.Errorf("%s: %v", op, err)
		}
	}
	// What needs no descriptor goes on, so that a failed acquisition can be undone.
	must(t, f.Mkdir(dir+"/dir", 0o755))
	must(t, f.Rmdir(dir+"/dir"))
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 4096, Max: 4096}))
}

func TestFullAndReadOnly(t *testing.T) {
	if !isolated(t, newMounts()) {
		return
	}
	f := fsys.OS()
	mount := func(name, options string, flags uintptr) string {
		dir := t.TempDir()
		must(t, unix.Mount(name, dir, "tmpfs", flags, options))
		t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
		return dir
	}
	full := mount("full", "size=4096", 0)
	must(t, f.Create(full+"/first", make([]byte, 4096), 0o644))
	err := f.Create(full+"/second", make([]byte, 100), 0o644)
	if !fsys.Is(err, fsys.NoSpace) || !fsys.Created(err) {
		t.Errorf("no room for content: %v, created: %v", err, fsys.Created(err))
	}
	if i, err := f.Stat(full + "/second"); err != nil || i.Size != 0 {
		t.Errorf("the file whose write failed: %+v, %v; it is the caller's to remove", i, err)
	}
	inodes := mount("inodes", "nr_inodes=2", 0) // one is the root's
	must(t, f.Mkdir(inodes+"/dir", 0o755))
	err = f.Create(inodes+"/dir/file", nil, 0o644)
	if !fsys.Is(err, fsys.NoSpace) || fsys.Created(err) {
		t.Errorf("no room for a file: %v, created: %v", err, fsys.Created(err))
	}
	fsystest.Run(t, f, t.TempDir(), fsystest.Options{ReadOnly: mount("ro", "", unix.MS_RDONLY)})
}

// TestMountNoticed: the table of mounts is kept, but not for long.
func TestMountNoticed(t *testing.T) {
	if !isolated(t, newMounts()) {
		return
	}
	f := fsys.OS()
	dir := t.TempDir()
	before := f.Mount(dir + "/x")
	must(t, unix.Mount("new", dir, "tmpfs", 0, ""))
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	for end := fsys.Mono() + 10*time.Second; f.Mount(dir+"/x") == before; time.Sleep(10 * time.Millisecond) {
		if fsys.Mono() > end {
			t.Fatalf("still on %q after 10 s", before)
		}
	}
}

// TestReadOpensNothingElse: to open a device or a FIFO is to do something to it, even if the open does not block.
func TestReadOpensNothingElse(t *testing.T) {
	dir := t.TempDir()
	must(t, mkfifo(dir+"/fifo"))
	notices, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	must(t, err)
	defer unix.Close(notices)
	_, err = unix.InotifyAddWatch(notices, dir+"/fifo", unix.IN_OPEN)
	must(t, err)
	d, err := fsys.OS().OpenDir(dir)
	must(t, err)
	defer d.Close()
	if _, err := d.Read("fifo", 10); !errors.Is(err, fsys.ErrNotRegular) {
		t.Error(err)
	}
	var buf [1024]byte
	if n, err := unix.Read(notices, buf[:]); err != unix.EAGAIN {
		t.Errorf("opened the FIFO: %d bytes of notices, %v", n, err)
	}
}

// TestDescriptors: whatever the outcome, nothing stays open.
func TestDescriptors(t *testing.T) {
	f := fsys.OS()
	dir := t.TempDir()
	must(t, f.Create(dir+"/file", []byte("content"), 0o644))
	must(t, mkfifo(dir+"/fifo"))
	before := descriptors(t)
	for range 10 {
		d, err := f.OpenDir(dir)
		must(t, err)
		must(t, d.Create("x", []byte("x"), 0o644))
		_ = d.Create("x", nil, 0o644)
		_, err = d.List()
		must(t, err)
		for _, name := range []string{"file", "fifo", "missing", "."} {
			_, _ = d.Read(name, 3)
		}
		must(t, d.Unlink("x"))
		must(t, d.Close())
		for _, path := range []string{dir + "/file", dir + "/fifo", dir + "/missing", dir + "/file/x"} {
			if d, err := f.OpenDir(path); err == nil {
				t.Errorf("opened %s as a directory: %v", path, d)
			}
			_, _ = f.Resolve(path + "/x")
		}
		_, err = f.Resolve(dir)
		must(t, err)
		_, err = f.Traits(dir)
		must(t, err)
		f.Mount(dir)
		_, err = fsys.ProbeClock(f, dir+"/aux")
		must(t, err)
		must(t, fsys.SweepAux(f, dir+"/aux"))
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(list)
}
