package fsys_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
)

func TestConformance(t *testing.T) {
	for name, dir := range mounts(t) {
		t.Run(name, func(t *testing.T) {
			fsystest.Run(t, fsys.OS(), dir, fsystest.Options{
				Symlink: symlinks(t, dir), Fifo: mkfifo, ByPath: runtime.GOOS == "windows",
			})
			if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// symlinks returns nil where they cannot be made, which is on Windows only, without a privilege.
func symlinks(t *testing.T, dir string) func(target, path string) error {
	if err := os.Symlink("nowhere", dir+"/try"); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		return nil
	}
	must(t, os.Remove(dir+"/try"))
	return os.Symlink
}
