package container

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The machine of the tests is in no container that is recognised, or says which one it is in.
func TestWhereHere(t *testing.T) {
	got := Where(filepath.Join(t.TempDir(), "lock"))
	t.Log(got)
	if Self().Detected() == (got.Visibility == Machine) {
		t.Errorf("in %q: %s", Self(), got)
	}
	if n := testing.AllocsPerRun(100, func() { Where("/lock") }); !Self().Detected() && n > 0 {
		t.Errorf("%v allocations for an answer that was known", n)
	}
}

// What is asked of the kernel is what mountinfo shows.
func TestTableOfThisProcess(t *testing.T) {
	mounts, ok := readTable()
	if root, found := mounts.root(); !ok || !found || root.point != "/" {
		t.Fatalf("no root in %v", mounts)
	}
	dir := t.TempDir()
	at, ok := mounts.find(dir)
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d:%d", unix.Major(st.Dev), unix.Minor(st.Dev)); !ok || at.dev != want && at.fstype != "btrfs" {
		t.Errorf("%s is on %+v, and the kernel says %s", dir, at, want)
	}
}

// A tmpfs says when it was made, on a kernel that does.
func TestBornAndStarted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir := t.TempDir()
	before := time.Now()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Unmount(dir, 0) })
	mounts, _ := readTable()
	at, ok := mounts.find(filepath.Join(dir, "lock"))
	if !ok || at.point != dir || at.fstype != "tmpfs" {
		t.Fatalf("%s is on %+v", dir, at)
	}
	made, ok := born(at)
	if !ok || made.Before(before.Add(-tick)) || made.After(time.Now().Add(tick)) {
		t.Errorf("made %v, %v; it is %v", made, ok, time.Now())
	}
	at.dev = "0:0" // something else is mounted there by now
	if _, ok := born(at); ok {
		t.Error("a date of another file system")
	}

	start, ok := started()
	if self().HostPID {
		if ok {
			t.Error("the machine's pid 1 is no beginning of a container")
		}
	} else if !ok || start.After(before) || start.Year() < 2000 {
		t.Errorf("pid 1 started %v, %v", start, ok)
	}
}

func TestStartTicks(t *testing.T) {
	const line = "1 (a) b) 4) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 117 22 3\n"
	if got, ok := startTicks([]byte(line)); !ok || got != 1170*time.Millisecond {
		t.Errorf("%v, %v", got, ok)
	}
	for _, line := range []string{"", "1 (a", "1 (a) S 0 1 1", "1 (a) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 -5 22"} {
		if got, ok := startTicks([]byte(line)); ok {
			t.Errorf("%q: %v", line, got)
		}
	}
}
