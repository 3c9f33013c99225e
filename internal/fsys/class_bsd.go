//go:build unix && !linux

package fsys

import (
	"runtime"
	"syscall"
)

// classOfOS knows what open(2) with O_NOFOLLOW says of a symbolic link where it is not ELOOP: EMLINK on FreeBSD, EFTYPE on
// NetBSD. By number, since 79 is EFTYPE on all BSDs but not everywhere.
func classOfOS(errno syscall.Errno) Class {
	switch runtime.GOOS {
	case "freebsd", "dragonfly":
		if errno == syscall.EMLINK {
			return NotDir
		}
	case "netbsd":
		const eftype = syscall.Errno(79)
		if errno == eftype {
			return NotDir
		}
	}
	return 0
}
