package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// evalDir resolves a directory, "" for the working one, element by element.
func evalDir(dir string) (string, error) {
	dir, err := absolute(dir)
	if err != nil {
		return "", bare(err)
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", bare(err)
	}
	i, err := os.Stat(resolved)
	if err != nil {
		return "", bare(err)
	}
	if !i.IsDir() {
		return "", errNotDir
	}
	return resolved, nil
}

// bare takes the error number out of what package os wrapped, since the caller names the path.
func bare(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
