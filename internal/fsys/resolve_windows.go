package fsys

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

const (
	separators = `\/`
	errNotDir  = windows.ERROR_DIRECTORY
)

// lastAllowed refuses what Windows would take for another name than it looks (trailing dots and blanks go away) or for no
// file name at all (a device, a drive, a stream, a pattern).
func lastAllowed(last string) bool {
	return filepath.IsLocal(last) && !strings.ContainsAny(last, `<>:"|?*`) && strings.TrimRight(last, ". ") == last
}

// absolute leaves to the system what a path without a drive, or with one but no root, means. It cleans ".." away by the
// letter, as Windows does wherever a path is used.
func absolute(dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	return windows.FullPath(dir)
}

func resolveDir(dir string) (string, error) { return evalDir(dir) }
