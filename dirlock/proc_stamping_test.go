//go:build linux

package dirlock_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// small starts a child that sees a tmpfs with the given options in a directory, and returns how others see it.
func small(t *testing.T, options, prepare string) (p *proctest.Proc, seen string) {
	t.Helper()
	proctest.Root(t, "unshare", "nsenter")
	mount := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(mount, "lock"))
	p = proctest.Start(t, cfg, proctest.Under("unshare", "-m", "sh", "-c",
		fmt.Sprintf(`mount -t tmpfs -o %s tmpfs %s && cd %s && { %s; } && cd / && exec "$@"`, options, mount, mount, prepare), "-"))
	return p, filepath.Join("/proc", fmt.Sprint(p.Pid()), "root", mount)
}

// remount changes the options of the child's tmpfs.
func remount(t *testing.T, p *proctest.Proc, options string) {
	t.Helper()
	cmd := exec.Command("nsenter", "-m", "-t", fmt.Sprint(p.Pid()), "mount", "-o", "remount,"+options, filepath.Dir(p.Path))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// refused has p fail to acquire, at once, with an error that has all the texts in it.
func refused(t *testing.T, p *proctest.Proc, texts ...string) {
	t.Helper()
	begin := time.Now()
	got := p.Want("ERR", "acquire")
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("it took %v to say %s", took, got)
	}
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("%q is not in the error: %s", text, got)
		}
	}
}

func works(t *testing.T, p *proctest.Proc) {
	t.Helper()
	p.Want("ACQ", "try")
	p.Want("REL", "release")
}

func TestProcNoInodeForTheStamp(t *testing.T) {
	t.Parallel()
	p, seen := small(t, "nr_inodes=2", "true") // the root's and the lock directory's
	refused(t, p, "no space left")
	sole(t, seen)
	remount(t, p, "nr_inodes=10")
	works(t, p)
	sole(t, seen)
}

func TestProcNoSpaceForTheStamp(t *testing.T) {
	t.Parallel()
	p, seen := small(t, "size=64k", "dd if=/dev/zero of=fill bs=4k 2>/dev/null; true")
	refused(t, p, "no space left")
	if names := proctest.Names(seen); names != "fill" {
		t.Errorf("left behind: %s", names)
	}
	if err := os.Remove(filepath.Join(seen, "fill")); err != nil {
		t.Fatal(err)
	}
	works(t, p)
	sole(t, seen)
}

func TestProcParentIsForbidden(t *testing.T) {
	proctest.Root(t, "setpriv")
	t.Parallel()
	dir := proctest.Disk(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := proctest.Start(t, proctest.Quick(filepath.Join(dir, "lock")), proctest.AsNobody(t))
	refused(t, p, "permission denied")
	sole(t, dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	works(t, p)
}

// fault makes one kind of call on the stamp fail, while on.
type fault struct {
	on    chan bool // has one value
	which func(proctest.Call) bool
	errno unix.Errno
}

func (f *fault) set(on bool) { <-f.on; f.on <- on }

func (f *fault) reply(c proctest.Call) proctest.Reply {
	on := <-f.on
	f.on <- on
	if on && f.which(c) {
		return proctest.Reply{Errno: f.errno}
	}
	return proctest.Reply{}
}

func newFault(errno unix.Errno, which func(proctest.Call) bool) *fault {
	f := &fault{on: make(chan bool, 1), which: which, errno: errno}
	f.on <- true
	return f
}

func onStamp(name string) func(proctest.Call) bool {
	return func(c proctest.Call) bool {
		return c.Name == name && strings.HasPrefix(filepath.Base(c.Path), "dirlock-")
	}
}

// One step of stamping fails with one error, everything else works.
func TestProcStampingFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		errno unix.Errno
		text  string
		which func(proctest.Call) bool
	}{
		{"create EACCES", unix.EACCES, "permission denied", onStamp("openat")},
		{"create ENOSPC", unix.ENOSPC, "no space left", onStamp("openat")},
		{"create EDQUOT", unix.EDQUOT, "quota", onStamp("openat")},
		{"create EIO", unix.EIO, "input/output", onStamp("openat")},
		{"write EIO", unix.EIO, "input/output", onStamp("write")},
		{"write EDQUOT", unix.EDQUOT, "quota", onStamp("write")},
		{"close EDQUOT", unix.EDQUOT, "quota", onStamp("close")},
		{"close EIO", unix.EIO, "input/output", onStamp("close")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			p := proctest.Start(t, proctest.Quick(filepath.Join(dir, "lock")))
			f := newFault(c.errno, c.which)
			p.Guard(dir, f.reply)
			refused(t, p, c.text)
			sole(t, dir)
			f.set(false)
			works(t, p)
			sole(t, dir)
		})
	}
}

// Neither the stamping nor the cleaning up works: both are told, and what is left goes by itself.
func TestProcStampingAndCleanupFail(t *testing.T) {
	for _, step := range []string{"openat", "write", "close"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			p, next := proctest.Start(t, cfg), proctest.Start(t, cfg)
			stamping := onStamp(step)
			f := newFault(unix.EIO, func(c proctest.Call) bool { return stamping(c) })
			cleaning := newFault(unix.EPERM, func(c proctest.Call) bool { return c.Name == "unlinkat" })
			p.Guard(dir, func(c proctest.Call) proctest.Reply {
				if r := f.reply(c); r.Errno != 0 {
					return r
				}
				return cleaning.reply(c)
			})
			refused(t, p, "input/output", "not permitted")
			if !proctest.Exists(cfg.Path) {
				t.Error("the cleaning up did not fail, so this was no test")
			}
			if step == "openat" {
				// No stamp: anybody may have the directory once it is old.
				next.Want("ACQ", "acquire")
				next.Want("REL", "release")
			}
			f.set(false)
			cleaning.set(false)
			p.Want("ACQ", "acquire")
			p.Want("REL", "release")
			works(t, next)
			sole(t, dir)
		})
	}
}

// Where a stamp cannot be removed while its process lives, it must be gone soon after the fault is.
func TestProcStrayIsRemovedByItself(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	p, next := proctest.Start(t, cfg), proctest.Start(t, cfg)
	f := newFault(unix.EIO, func(c proctest.Call) bool { return c.Name == "unlinkat" || onStamp("write")(c) })
	p.Guard(dir, f.reply)
	refused(t, p, "input/output")
	f.set(false)
	next.Want("ACQ", "acquire")
	next.Want("REL", "release")
	sole(t, dir)
}
