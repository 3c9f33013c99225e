//go:build linux

package dirlock_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A lock directory that something is mounted on, as of a container, cannot be removed: it is marked as free, and had at once.
func TestLockThatIsAMountPoint(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting needs root")
	}
	path := filepath.Join(proctest.Disk(t), "lock")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "tmpfs", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", path).Run() })
	m := dirlock.Mutex{Path: path, Heartbeat: 100 * time.Millisecond, Stale: time.Second, Wait: proctest.Patience}
	for i := range 3 {
		lock, err := m.Acquire(context.Background()) // the first time it is taken for a script's lock
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
		if r, err := m.Inspect(); err != nil || r.State != dirlock.StateFree || !r.Vacant {
			t.Errorf("after turn %d: %+v, %v", i, r, err)
		}
		if lock, err := m.TryAcquire(); err != nil {
			t.Error(err)
		} else if err := lock.Release(); err != nil {
			t.Error(err)
		}
	}
}

// Two paths to one directory, as by a bind mount: who waits by the one hears of a release by the other.
func TestLockByTwoPaths(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir := proctest.Disk(t)
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("mount", "--bind", one, two).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", two).Run() })
	o := observe()
	held, err := o.mutex(proctest.Quick(filepath.Join(one, "lock"))).TryAcquire()
	if err != nil {
		t.Fatal(err)
	}
	before := keeps(t).watches
	m := o.mutex(proctest.Quick(filepath.Join(two, "lock")))
	m.Wait = -1
	got := make(chan error)
	go func() {
		lock, err := m.Acquire(context.Background())
		if err == nil {
			err = lock.Release()
		}
		got <- err
	}()
	proctest.Until(t, proctest.Patience, "it listens", func() bool { return keeps(t).watches > before })
	released := time.Now()
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
	if calls := o.between(released, time.Now()); slices.Index(calls, "mkdir lock") < 0 {
		t.Errorf("after the release: %q", calls)
	}
}
