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
	m := map[string]string{"disk": t.TempDir()}
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
