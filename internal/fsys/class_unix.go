//go:build unix

package fsys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func classOf(errno syscall.Errno) Class {
	switch errno {
	case unix.ENOENT:
		return NotExist
	case unix.EEXIST:
		return Exist
	case unix.ENOTEMPTY:
		return NotEmpty
	case unix.ESTALE:
		return Stale
	case unix.ENOTDIR, unix.ELOOP:
		return NotDir
	case unix.EACCES, unix.EPERM:
		return Access
	case unix.EBUSY, unix.ETXTBSY, unix.EAGAIN: // the last from an SMB client whose session is being made anew
		return Busy
	case unix.EROFS:
		return ReadOnlyFS
	case unix.ENOSPC, unix.EDQUOT:
		return NoSpace
	case unix.EMFILE, unix.ENFILE:
		return TooManyFiles
	case unix.ENAMETOOLONG:
		return NameTooLong
	case unix.EINTR:
		return Interrupted
	default:
		return classOfOS(errno)
	}
}
