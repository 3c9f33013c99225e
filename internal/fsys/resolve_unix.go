//go:build unix

package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const separators = "/"

// evalDir resolves a directory, "" for the working one, element by element.
func evalDir(dir string) (string, error) {
	if !filepath.IsAbs(dir) {
		wd, err := os.Getwd()
		if err != nil {
			return "", bare(err)
		}
		if dir = wd + "/" + dir; wd == "/" { // not cleaned: ".." after a link is not what it looks like
			dir = dir[1:]
		}
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", bare(err)
	}
	i, err := retryEINTR(func() (Info, error) { return statAt(unix.AT_FDCWD, resolved) })
	if err != nil {
		return "", err
	}
	if i.Kind != KindDir {
		return "", unix.ENOTDIR
	}
	return resolved, nil
}

// bare takes the error number out of what package os wrapped, since the caller names the path.
func bare(err error) error {
	if errno, ok := errors.AsType[unix.Errno](err); ok {
		return errno
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
