package notify_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// isolated runs the calling test again in a process of its own, since limits, namespaces and mounts belong to a process. It reports
// whether this is that process; in the other one it has passed on the outcome, and the test is to return.
func isolated(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	const key = "NOTIFY_ISOLATED"
	if os.Getenv(key) == t.Name() {
		return true
	}
	if os.Getuid() != 0 {
		t.Skip("needs root, to make namespaces: NOT TESTED")
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), key+"="+t.Name())
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("in a process of its own: %v\n%s", err, out)
	}
	return false
}

// newUsers is a user namespace, in which the limits are ours to set, and do not count for anybody else.
func newUsers() *syscall.SysProcAttr {
	root := []syscall.SysProcIDMap{{Size: 1}}
	return &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: root, GidMappings: root}
}

func TestTooManyWatches(t *testing.T) {
	if !isolated(t, newUsers()) {
		return
	}
	must(t, os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("2"), 0))
	over(t, func(t *testing.T, d *notify.Dirs, _ *notify.Probe) {
		check := nothingLeft(t)
		dir := t.TempDir()
		_, stopA := watch(t, d, lock(t, filepath.Join(dir, "a")))
		b, stopB := watch(t, d, lock(t, filepath.Join(dir, "b"), "1", "2"))
		for range 3 {
			if _, err := d.Watch(lock(t, filepath.Join(dir, "c")), func() { t.Error("woken") }); !errors.Is(err, unix.ENOSPC) {
				t.Fatalf("the third watch: %v", err)
			}
			must(t, os.Remove(filepath.Join(dir, "c")))
		}
		// Those who watch already are as well off as before.
		must(t, os.Remove(filepath.Join(dir, "b", "1")))
		b.reach(1, "woken at the limit")
		_, stopC := watch(t, d, filepath.Join(dir, "b"))
		stopA() // makes room
		_, stopD := watch(t, d, lock(t, filepath.Join(dir, "d")))
		stopB()
		stopC()
		stopD()
		check()
	})
}

func TestTooManyWatchers(t *testing.T) {
	if !isolated(t, newUsers()) {
		return
	}
	must(t, os.WriteFile("/proc/sys/user/max_inotify_instances", []byte("0"), 0))
	dir := t.TempDir()
	check := nothingLeft(t)
	for range 3 {
		if _, err := new(notify.Dirs).Watch(dir, func() {}); !errors.Is(err, unix.EMFILE) {
			t.Errorf("no watcher left: %v", err)
		}
	}
	check()
	must(t, os.WriteFile("/proc/sys/user/max_inotify_instances", []byte("10"), 0))
	var d notify.Dirs
	_, stop := watch(t, &d, dir)
	stop()
	check()
}

func TestOutOfDescriptors(t *testing.T) {
	if !isolated(t, &syscall.SysProcAttr{}) {
		return
	}
	var d notify.Dirs
	var e notify.Exits
	dir := t.TempDir()
	check := nothingLeft(t)
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: 4096}))
	_, derr := d.Watch(dir, func() {})
	_, eerr := e.Watch(os.Getpid(), func() bool { return true }, func() {})
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 4096, Max: 4096}))
	if !errors.Is(derr, unix.EMFILE) || !errors.Is(eerr, unix.EMFILE) {
		t.Errorf("out of descriptors: %v; %v", derr, eerr)
	}
	check()
}

// TestUnmounted: what was mounted over a directory goes away with all that is in it. The library does not tell.
func TestUnmounted(t *testing.T) {
	if !isolated(t, &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}) {
		return
	}
	d, _ := notify.DirsOver("inotify")
	check := nothingLeft(t)
	dir := t.TempDir()
	must(t, unix.Mount("notify", dir, "tmpfs", 0, ""))
	mounted := true
	t.Cleanup(func() {
		if mounted {
			must(t, unix.Unmount(dir, unix.MNT_DETACH))
		}
	})
	c, stop := watch(t, d, lock(t, filepath.Join(dir, "lock"), "file"))
	must(t, unix.Unmount(dir, 0))
	mounted = false
	c.reach(1, "unmounted")
	stop()
	check()
}

// TestNotInherited: what a child has open, it got by our leave.
func TestNotInherited(t *testing.T) {
	var d notify.Dirs
	var e notify.Exits
	watch(t, &d, t.TempDir())
	stop, err := e.Watch(os.Getppid(), func() bool { return true }, func() {})
	must(t, err)
	defer stop()
	if open(t, "inotify") == 0 || open(t, "pidfd") == 0 {
		t.Fatal("nothing is open: this test shows nothing")
	}
	proctest.Root(t, "ls")
	out, err := exec.Command("ls", "-l", "/proc/self/fd").CombinedOutput()
	must(t, err)
	if text := string(out); strings.Contains(text, "inotify") || strings.Contains(text, "pidfd") {
		t.Errorf("a child has it open:\n%s", text)
	}
}
