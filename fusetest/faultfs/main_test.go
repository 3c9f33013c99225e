//go:build linux

package faultfs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

var unavailable error

func TestMain(m *testing.M) {
	faultfs.Main()
	unavailable = faultfs.Isolate()
	os.Exit(m.Run())
}

// mount mounts a new directory.
func mount(t *testing.T, rules ...faultfs.Rule) *faultfs.Mount {
	t.Helper()
	switch {
	case unavailable == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(unavailable)
	default:
		t.Skip(unavailable)
	}
	point := filepath.Join(t.TempDir(), "mnt")
	if err := os.Mkdir(point, 0o755); err != nil {
		t.Fatal(err)
	}
	m, err := faultfs.Start(t.TempDir(), point, rules...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}
