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
		err := os.RemoveAll(dir)
		if err != nil && Away() { // a name may stay for a moment where another host has the file open
			Until(t, Patience, dir+" can be removed", func() bool { return os.RemoveAll(dir) == nil })
		} else if err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}
