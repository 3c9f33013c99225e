package fsys

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// classOf sorts Windows' own numbers and the Unix names that package syscall invents there, which simulations use; its
// ENOENT and ENOTDIR are Windows' own 2 and 3, the latter said of a missing parent.
func classOf(errno syscall.Errno) Class {
	switch errno {
	case windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND, windows.ERROR_BAD_NETPATH, windows.ERROR_BAD_NET_NAME:
		return NotExist
	case windows.ERROR_ALREADY_EXISTS, windows.ERROR_FILE_EXISTS, syscall.EEXIST:
		return Exist
	case windows.ERROR_DIR_NOT_EMPTY, syscall.ENOTEMPTY:
		return NotEmpty
	case syscall.ESTALE:
		return Stale
	case windows.ERROR_DIRECTORY, windows.ERROR_CANT_ACCESS_FILE, windows.ERROR_STOPPED_ON_SYMLINK, syscall.ELOOP:
		return NotDir
	case windows.ERROR_ACCESS_DENIED, windows.ERROR_PRIVILEGE_NOT_HELD, syscall.EACCES, syscall.EPERM:
		return Access
	case windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_DELETE_PENDING, windows.ERROR_BUSY, syscall.EBUSY, syscall.ETXTBSY, syscall.EAGAIN:
		return Busy
	case windows.ERROR_WRITE_PROTECT, syscall.EROFS:
		return ReadOnlyFS
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED, windows.ERROR_NOT_ENOUGH_QUOTA, syscall.ENOSPC, syscall.EDQUOT:
		return NoSpace
	case windows.ERROR_TOO_MANY_OPEN_FILES, syscall.EMFILE, syscall.ENFILE:
		return TooManyFiles
	case windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_BUFFER_OVERFLOW, syscall.ENAMETOOLONG:
		return NameTooLong
	case syscall.EINTR:
		return Interrupted
	default:
		return 0
	}
}
