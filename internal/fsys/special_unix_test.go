//go:build unix

package fsys_test

import (
	"os"

	"golang.org/x/sys/unix"
)

var (
	mkfifo  = func(path string) error { return unix.Mkfifo(path, 0o644) }
	symlink = os.Symlink
)
