//go:build unix && !linux

package fsys

import "golang.org/x/sys/unix"

// delegates reports whether a server may leave a file to the client that opens it. Nothing is known of these systems' clients.
func delegates(Traits) bool { return false }

func openUndelegated(dirfd int, name string, flags int, mode uint32, _ bool) (int, error) {
	return unix.Openat(dirfd, name, flags, mode)
}
