//go:build unix

package fsys

import (
	"os"
	"path/filepath"
	"syscall"
)

const (
	separators = "/"
	errNotDir  = syscall.ENOTDIR
)

// lastAllowed: every name but "." and ".." is one.
func lastAllowed(string) bool { return true }

// absolute is not filepath.Abs, which cleans: ".." after a link is not what it looks like.
func absolute(dir string) (string, error) {
	if filepath.IsAbs(dir) {
		return dir, nil
	}
	wd, err := os.Getwd()
	return wd + "/" + dir, err
}
