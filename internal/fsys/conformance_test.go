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
				Symlink: symlink, Fifo: mkfifo, ByPath: runtime.GOOS == "windows",
			})
			if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
