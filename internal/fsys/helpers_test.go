package fsys_test

import (
	"os"
	"runtime"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mounts returns a fresh directory on a disk and, on Linux, one in memory.
func mounts(t testing.TB) map[string]string {
	t.Helper()
	m := make(map[string]string)
	if runtime.GOOS != "windows" {
		m["disk"] = t.TempDir()
	} else { // t.TempDir's clean-up fails under wine
		dir, err := os.MkdirTemp("", "fsys-*")
		must(t, err)
		t.Cleanup(func() { must(t, os.Remove(dir)) })
		m["disk"] = dir
	}
	if runtime.GOOS == "linux" {
		dir, err := os.MkdirTemp("/dev/shm", "fsys-*")
		if err != nil {
			t.Fatal("no tmpfs to test on: ", err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		m["tmpfs"] = dir
	}
	return m
}
