//go:build linux

package fusetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
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

// And by the tests of package dirlock with several processes, or some of them: in the same way as on the mounts of internal/netlab/suites.
func TestDirlock(t *testing.T) {
	b := mount(t)
	binary := filepath.Join(t.TempDir(), "dirlock.test")
	build := exec.Command("go", "test", "-c", "-buildvcs=false", "-o", binary, "./dirlock")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	text, err := json.Marshal(proctest.Elsewhere{Name: "fuse", Dir: b.Point})
	if err != nil {
		t.Fatal(err)
	}
	tests := []string{"Contention", "Stampede", "StampedeOnForeign", "CancelAtAnyMoment", "CorruptNames", "ForeignOwnerThatMoves",
		"OldAndStill", "JunkInAHeldLock", "SillyRenameGoesAway", "RemovedFromOutside", "MovedAway", "ReleaseConcurrently"}
	cmd := exec.Command(binary, "-test.v", "-test.short", "-test.run", "^TestProc("+strings.Join(tests, "|")+")$")
	cmd.Env = append(os.Environ(), proctest.ElsewhereVariable+"="+string(text))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := faultfs.Bound(cmd, syscall.SysProcAttr{}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, test := range tests {
		if !strings.Contains(out.String(), "--- PASS: TestProc"+test+" ") {
			t.Errorf("TestProc%s has not passed\n%s", test, &out)
		}
	}
	b.empty(0)
}
