package fsys_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// What has just been mounted, or is no more, is known at once, however often that happens and whatever else this process waits for.
func TestMountsNow(t *testing.T) {
	if !isolated(t, newMounts()) {
		return
	}
	dir := t.TempDir()
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }) // after a failure
	lower, gen := fsys.OS().Mount(dir), fsys.OS().Mounts()
	changed := func(what, want string, is bool) {
		t.Helper()
		time.Sleep(time.Millisecond) // the runtime looks what has happened to the files that it waits for
		if got := fsys.OS().Mount(dir); (got == want) != is {
			t.Fatalf("%s: on %s, and below it is %s", what, got, lower)
		}
		g := fsys.OS().Mounts()
		if g == gen || g != fsys.OS().Mounts() {
			t.Fatalf("%s: the number was %d and is %d", what, gen, g)
		}
		gen = g
	}
	for range 20 {
		must(t, unix.Mount("fsys", dir, "tmpfs", 0, ""))
		changed("mounted", lower, false)
		must(t, unix.Unmount(dir, unix.MNT_DETACH))
		changed("detached", lower, true)
	}
}
