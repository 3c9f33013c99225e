package fsys_test

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
)

func TestResolveRelative(t *testing.T) {
	f := fsys.OS()
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/sub", 0o755))
	t.Chdir(dir + "/sub")
	for path, want := range map[string]string{"x": dir + "/sub/x", "./x": dir + "/sub/x", "../x": dir + "/x", "x//": dir + "/sub/x"} {
		if got, err := f.Resolve(path); got != want || err != nil {
			t.Errorf("%q is %q, %v, want %q", path, got, err, want)
		}
	}
	if got, err := f.Resolve("/x"); got != "/x" || err != nil {
		t.Errorf("a file in the root is %q, %v", got, err)
	}
	must(t, os.Rename(dir+"/sub", dir+"/moved"))
	if got, err := f.Resolve("x"); got != dir+"/moved/x" || err != nil {
		t.Errorf("in a directory that was moved: %q, %v", got, err)
	}
	must(t, os.Remove(dir+"/moved"))
	if got, err := f.Resolve("x"); !fsys.Is(err, fsys.NotExist) {
		t.Errorf("in a directory that was removed: %q, %v", got, err)
	}
	// The same by an absolute path, which is what a removal between two of Resolve's steps looks like.
	must(t, os.Mkdir(dir+"/open", 0o755))
	d, err := os.Open(dir + "/open")
	must(t, err)
	defer d.Close()
	must(t, os.Remove(dir+"/open"))
	if got, err := f.Resolve(fmt.Sprintf("/proc/self/fd/%d/x", d.Fd())); !fsys.Is(err, fsys.NotExist) {
		t.Errorf("in a directory that was removed: %q, %v", got, err)
	}
	// That a name ends as the kernel marks removed directories does not make it one.
	must(t, os.Mkdir(dir+"/odd (deleted)", 0o755))
	if got, err := f.Resolve(dir + "/odd (deleted)/x"); got != dir+"/odd (deleted)/x" || err != nil {
		t.Errorf("a directory with an odd name: %q, %v", got, err)
	}
}

func TestResolveUnderMount(t *testing.T) {
	if !isolated(t, newMounts()) {
		return
	}
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/sub", 0o755))
	t.Chdir(dir + "/sub")
	must(t, unix.Mount("cover", dir, "tmpfs", 0, ""))
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	must(t, os.Mkdir(dir+"/sub", 0o755)) // a namesake on the mount that covers the old one
	if got, err := fsys.OS().Resolve("x"); !fsys.Is(err, fsys.NotExist) {
		t.Errorf("no absolute path leads to a covered directory, but %q, %v", got, err)
	}
}

// TestWithoutProc: the suite again where nothing can be asked of /proc, and where a plain directory plays it.
func TestWithoutProc(t *testing.T) {
	if !isolated(t, newMounts()) {
		return
	}
	must(t, unix.Mount("noproc", "/proc", "tmpfs", 0, ""))
	must(t, os.MkdirAll("/proc/self/fd", 0o755))
	for fd := range 64 {
		must(t, os.Symlink("/nowhere", "/proc/self/fd/"+strconv.Itoa(fd)))
	}
	dir := t.TempDir()
	f := fsys.OS()
	fsystest.Run(t, f, dir, fsystest.Options{Symlink: os.Symlink, Fifo: mkfifo})
	t.Chdir(dir)
	if got, err := f.Resolve("x"); got != dir+"/x" || err != nil {
		t.Errorf("relative: %q, %v", got, err)
	}
	if id := f.Mount(dir); id != "" {
		t.Errorf("knows the mount %q from nothing", id)
	}
}

// TestChroot: what the kernel says of paths is as this process sees them.
func TestChroot(t *testing.T) {
	if !isolated(t, &syscall.SysProcAttr{}) {
		return
	}
	if os.Getuid() != 0 {
		t.Skip("needs root, to change its root directory")
	}
	dir := t.TempDir()
	must(t, os.Mkdir(dir+"/sub", 0o755))
	outside, err := os.Open("/")
	must(t, err)
	t.Cleanup(func() { // back out, so that the directory can be removed
		must(t, outside.Chdir())
		must(t, unix.Chroot("."))
		must(t, outside.Close())
	})
	must(t, unix.Chroot(dir))
	must(t, os.Chdir("/"))
	if got, err := fsys.OS().Resolve("sub/x"); got != "/sub/x" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	must(t, os.Remove("/sub"))
}
