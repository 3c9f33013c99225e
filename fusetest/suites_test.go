//go:build linux

package fusetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
	"github.com/aac6cccc/mkdirlock/internal/netlab/suites"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A mount that passes everything on is one that the lock can be run on: by the suite of the seam.
func TestConformance(t *testing.T) {
	b := mount(t)
	readOnly := t.TempDir()
	empty := filepath.Join(b.Dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []uintptr{unix.MS_BIND, unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY} {
		if err := unix.Mount(b.path("empty"), readOnly, "", flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(readOnly, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	dir := b.path("suite")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	fsystest.Run(t, fsys.OS(), dir, fsystest.Options{Symlink: os.Symlink, ReadOnly: readOnly,
		Fifo: func(path string) error { return unix.Mkfifo(path, 0o644) }})
}

// notHere is what of that does not hold, by what the lock knows of a FUSE mount: nothing.
var notHere = map[string]string{
	"JunkInADeadLock":          "it is not known how old a heartbeat is that was not seen to come",
	"NotALock":                 "nor how old a directory is",
	"ShortWaitWinsOverTheOld":  "as JunkInADeadLock",
	"TryAcquire":               "as JunkInADeadLock",
	"InspectALivingHolder":     "a stamp is not opened where that may harm its owner",
	"TimedOutWaitSaysWhoHolds": "as InspectALivingHolder",
}

// And by the tests of package dirlock with several processes, in the same way as on the mounts of internal/netlab/suites: on one host,
// and on two of which each has a mount of its own.
func TestDirlock(t *testing.T) {
	needMounts(t)
	binary := filepath.Join(t.TempDir(), "dirlock.test")
	build := exec.Command("go", "test", "-c", "-buildvcs=false", "-o", binary, "./dirlock")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	t.Run("one host", func(t *testing.T) {
		t.Parallel() // with the next one: much of it is waiting
		b := mount(t)
		t.Cleanup(func() { b.empty(0) })
		elsewhere(t, binary, slices.Concat(suites.Anywhere, suites.AtHome), proctest.Elsewhere{Name: "fuse", Dir: b.Point})
	})
	t.Run("two hosts", func(t *testing.T) {
		t.Parallel()
		a := mount(t)
		b := mirror(t, a.Dir)
		t.Cleanup(func() { a.empty(0) })
		other := []string{"unshare", "-u", "-p", "-f", "-m", "--mount-proc", "sh", "-c",
			`hostname b && mount --bind ` + b.Point + ` ` + a.Point + ` && exec "$@"`, "sh"}
		elsewhere(t, binary, suites.Anywhere, proctest.Elsewhere{Name: "fuse", Dir: a.Point, Judge: "127.0.0.1:0",
			Hosts: []proctest.HostCommand{{}, {Under: other}}})
	})
}

// elsewhere runs tests of package dirlock on another mount: those that take long and are for themselves in that package, beside the others.
func elsewhere(t *testing.T, binary string, tests []string, where proctest.Elsewhere) {
	t.Helper()
	for dir := filepath.Dir(where.Dir); dir != filepath.Dir(os.TempDir()); dir = filepath.Dir(dir) { // other users take part
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tests = slices.DeleteFunc(slices.Clone(tests), func(name string) bool { return notHere[name] != "" })
	groups := map[string][]string{}
	for _, test := range tests {
		group := "others"
		if strings.HasPrefix(test, "Stampede") {
			group = test
		}
		groups[group] = append(groups[group], test)
	}
	for group, tests := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			run(t, binary, tests, where)
		})
	}
}

// failures leaves out what passed.
func failures(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "=== RUN") && !strings.HasPrefix(line, "=== PAUSE") && !strings.HasPrefix(line, "=== CONT") && !strings.Contains(line, "--- PASS") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func run(t *testing.T, binary string, tests []string, where proctest.Elsewhere) {
	t.Helper()
	text, err := json.Marshal(where)
	if err != nil {
		t.Fatal(err)
	}
	// Those who are on two hosts are heard by way of the network: one that they have for themselves.
	cmd := exec.Command("/proc/self/exe", binary, "-test.v", "-test.short", "-test.parallel=16", "-test.run", "^TestProc("+strings.Join(tests, "|")+")$")
	cmd.Env = append(os.Environ(), loopbackVar+"=1", proctest.ElsewhereVariable+"="+string(text))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := faultfs.Bound(cmd, syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET}); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if err != nil || strings.Contains(out.String(), "--- SKIP") {
		t.Errorf("%v, or a test has skipped\n%s", err, failures(out.String()))
	}
	for _, test := range tests {
		if !strings.Contains(out.String(), "--- PASS: TestProc"+test+" ") {
			t.Errorf("TestProc%s has not passed", test)
		}
	}
}
