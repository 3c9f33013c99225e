package fsys_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

func TestNear(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "fsys")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Symlink(dir, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	ext := t.TempDir()
	if err := os.Symlink(dir, ext+"/link"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		dir + "/lock":         true,
		dir + "/link":         true, // the last element is left alone
		dir + "/link/lock":    false,
		ext + "/link/lock":    false,
		dir + "/missing/lock": false,
		dir + "/":             false,
		dir + "/.":            false,
		dir + "/../x":         false,
		"/dev//shm/x":         false,
		filepath.Base(dir):    false,
		"":                    false,
	} {
		got, memory, ok := fsys.OS().Near(path)
		if ok != want || ok && (got != path || !memory) {
			t.Errorf("Near(%q) = %q, %v, %v", path, got, memory, ok)
		}
	}
}
