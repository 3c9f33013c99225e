//go:build unix && !linux

package fsys

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// getdents is getdirentries(2) or what stands for it; a seek to 0 rewinds on all of these systems.
func getdents(fd int, buf []byte) (int, error) {
	var base uintptr
	return unix.Getdirentries(fd, buf, &base)
}

// isHole: a record with file number 0, the first field of a record on all of these systems, is a removed entry.
func isHole(rec []byte) bool { return binary.NativeEndian.Uint64(rec) == 0 }
