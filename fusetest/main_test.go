//go:build linux

package fusetest

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// unavailable says why there are no mounts here; nil: there are.
var unavailable error

func TestMain(m *testing.M) {
	faultfs.Main()
	loopbackMain()
	unavailable = faultfs.Isolate()
	secondMain()
	feelPulse()
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		few := map[bool]string{false: "8", true: "4"}
		_ = flag.Set("test.parallel", few[raced()]) // those that may run beside others mostly wait for time to pass
	}
	os.Exit(m.Run())
}

// needMounts skips a test where nothing can be mounted. In CI that is a failure: a test that was not run has not passed.
func needMounts(t *testing.T) {
	t.Helper()
	switch {
	case unavailable == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(unavailable)
	default:
		t.Skip(unavailable)
	}
}

// long reports whether the long forms of the tests are asked for, with strict bounds.
var long = os.Getenv("MKDIRLOCK_LONG") != ""

// slack is what a busy machine is given on top of a bound.
func slack() time.Duration {
	if long {
		return 100*time.Millisecond + standstill()
	}
	return ample(1500*time.Millisecond) + standstill()
}

// aloneVar names the test that a process was started for.
const aloneVar = "FUSETEST_ALONE"

// alone runs a test in a process of its own: threads never end in a Go program, so that only a new one can count
// those that this test needs.
func alone(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	needMounts(t)
	if os.Getenv(aloneVar) == t.Name() {
		f(t)
		return
	}
	var exact []string
	for part := range strings.SplitSeq(t.Name(), "/") {
		exact = append(exact, "^"+regexp.QuoteMeta(part)+"$")
	}
	limit := 10 * time.Minute
	if end, ok := t.Deadline(); ok {
		limit = time.Until(end) - time.Second // its stacks say more than ours
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", strings.Join(exact, "/"), "-test.v", "-test.timeout", limit.String())
	cmd.Env = append(os.Environ(), aloneVar+"="+t.Name())
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := faultfs.Bound(cmd, syscall.SysProcAttr{})
	if err == nil {
		err = cmd.Wait()
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(strings.TrimSpace(line), "===") {
			t.Log(strings.TrimRight(line, "\n"))
		}
	}
	switch {
	case err != nil:
		t.Error("in a process of its own:", err)
	case !strings.Contains(out.String(), "--- PASS: "+t.Name()):
		t.Error("in a process of its own, the test was not run")
	}
}

// A bed is a mount of a test, with the directory that it mirrors.
type bed struct {
	*faultfs.Mount
	t *testing.T
}

// mount mounts a new directory; the mount ends with the test, whatever hangs in it by then.
func mount(t *testing.T, rules ...faultfs.Rule) *bed {
	t.Helper()
	return mirror(t, tmpfs(t), rules...)
}

// mirror mounts a directory.
func mirror(t *testing.T, dir string, rules ...faultfs.Rule) *bed {
	t.Helper()
	return mirrorAt(t, t.TempDir(), dir, rules...)
}

// mirrorAt mounts a directory below another one.
func mirrorAt(t *testing.T, where, dir string, rules ...faultfs.Rule) *bed {
	t.Helper()
	needMounts(t)
	point := filepath.Join(where, "mnt")
	if err := os.Mkdir(point, 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := faultfs.Start(dir, point, rules...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return &bed{m, t}
}

// tmpfs is a new file system in memory. It ends with the test, or with this process's mount namespace.
func tmpfs(t *testing.T) string {
	t.Helper()
	needMounts(t)
	dir := t.TempDir()
	if err := unix.Mount("fusetest", dir, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// path is a lock in the mount.
func (b *bed) path(name string) string { return filepath.Join(b.Point, name) }

// add adds a rule.
func (b *bed) add(r faultfs.Rule) int {
	b.t.Helper()
	id, err := b.Add(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// stall makes all calls stall, until heal.
func (b *bed) stall() { b.t.Helper(); b.add(faultfs.Rule{Stall: true}) }

// heal ends all faults.
func (b *bed) heal() {
	b.t.Helper()
	if err := b.Heal(); err != nil {
		b.t.Fatal(err)
	}
}

// stuck fails the test unless some call is stalled, soon.
func (b *bed) stuck() {
	b.t.Helper()
	until(b.t, "a call is stalled", time.Minute, func() error {
		if n, err := b.Stuck(); n == 0 || err != nil {
			return errors.Join(errors.New("none is"), err)
		}
		return nil
	})
}

// empty waits until nothing is left in the directory behind the mount.
func (b *bed) empty(limit time.Duration) {
	b.t.Helper()
	until(b.t, "nothing is left of locks", limit, func() error { return nothingIn(b.Dir) })
}

func nothingIn(dir string) error {
	var names []string
	err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if p != dir {
			names = append(names, strings.TrimPrefix(p, dir+"/"))
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil // it went while we looked
		}
		return err
	})
	if len(names) > 0 {
		return errors.New("left: " + strings.Join(names[:min(len(names), 8)], " "))
	}
	return err
}

// until polls for a condition.
func until(t *testing.T, what string, limit time.Duration, f func() error) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v, and it is still not so that %s: %v", limit, what, err)
		}
	}
}
