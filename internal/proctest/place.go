package proctest

import (
	"os"
	"testing"
)

// tempDir makes a directory below base that any user may enter and write to, and that goes with the test.
func tempDir(t testing.TB, base string) string {
	t.Helper()
	dir, err := os.MkdirTemp(base, "mkdirlock-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}
