package memfs_test

import (
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// The file system of the tests may not be kinder than the real ones.
func TestConformance(t *testing.T) {
	c := memfs.NewServer().Local()
	if err := c.Mkdir("/dir", 0o755); err != nil {
		t.Fatal(err)
	}
	fsystest.Run(t, c, "/dir", fsystest.Options{})
}
