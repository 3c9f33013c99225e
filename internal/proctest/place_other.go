//go:build !linux

package proctest

import (
	"os"
	"testing"
)

// Disk returns a fresh directory.
func Disk(t testing.TB) string { return tempDir(t, os.TempDir()) }

// Each runs f with a fresh directory.
func Each(t *testing.T, f func(t *testing.T, dir string)) {
	t.Run("disk", func(t *testing.T) { f(t, Disk(t)) })
}

// Clean removes what was made for all tests together: nothing here.
func Clean() {}
