package notify_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func descriptors(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(list)
}

// open counts the descriptors of such a kind, "inotify" or "pidfd". Package os has pidfds, too: one for each child.
func open(t testing.TB, kind string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, fd := range list {
		to, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err == nil && strings.Contains(to, kind) {
			n++
		}
	}
	return n
}

// nothingLeft returns a check that there are as many goroutines and descriptors as now, be it after a while.
func nothingLeft(t testing.TB) (check func()) {
	t.Helper()
	proctest.Until(t, proctest.Patience, "nothing is left of former tests", func() bool { return open(t, "inotify") == 0 })
	fds, goroutines := descriptors(t), runtime.NumGoroutine()
	return func() {
		t.Helper()
		proctest.Until(t, proctest.Patience, "goroutines and descriptors are as before", func() bool {
			return descriptors(t) <= fds && runtime.NumGoroutine() <= goroutines && open(t, "inotify") == 0
		})
	}
}

func TestDirsLeaveNothing(t *testing.T) {
	over(t, func(t *testing.T, d *notify.Dirs, p *notify.Probe) {
		check := nothingLeft(t)
		dir := lock(t, filepath.Join(t.TempDir(), "lock"), "file")
		for range 3 {
			a, stopA := watch(t, d, dir)
			_, stopB := watch(t, d, filepath.Dir(dir))
			if open(t, "inotify") == 0 {
				t.Fatal("no descriptor is in use: this test shows nothing")
			}
			if _, err := d.Watch(dir+"/missing", func() {}); err == nil {
				t.Error("what is missing is watched")
			}
			stopA()
			stopB()
			check()
			if a.count() != 0 {
				t.Error("woken")
			}
		}
		// A watch that has ended by itself.
		c, stop := watch(t, d, dir)
		must(t, os.RemoveAll(dir))
		c.reach(1, "removed")
		stop()
		check()
		lock(t, dir)
		_, err := d.Watch(dir+"/missing", func() {})
		if err == nil {
			t.Error("what is missing is watched")
		}
		check()
	})
}
