//go:build unix

package fsys

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// createAt makes a file that must not exist. Each step's error is reported under its own name, since "create: no space" and
// "close: no space" are different stories; nothing is retried that may have taken effect and nothing is cleaned up, which is
// for whoever knows the protocol.
//
// Undelegated means that no server shall leave the file to this client, see openUndelegated.
func createAt(dirfd int, dirpath, name string, data []byte, mode fs.FileMode, undelegated bool) error {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	want := unixMode(mode)
	fd, err := openUndelegated(dirfd, name, flags, want, undelegated)
	if err != nil {
		return pathError("create", join(dirpath, name), err)
	}
	op := "chmod"
	if err = ensureMode(fd, want); err == nil {
		op, err = "write", writeAll(fd, data)
	}
	// Some file systems say only at close that there was no room (NFS with a quota). EINTR is an error, too: the descriptor is
	// gone, and what it held may not have been written.
	if cerr := unix.Close(fd); err == nil {
		op, err = "close", cerr
	}
	if err != nil {
		return AfterCreate(pathError(op, join(dirpath, name), err))
	}
	return nil
}

// ensureMode gives back the bits that the umask took. Asking first is the cheaper way: fstat of a file just made is answered
// from memory, while every fchmod is a change, on NFS one that goes to the server.
func ensureMode(fd int, want uint32) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if want&^uint32(st.Mode) == 0 {
		return nil
	}
	switch err := unix.Fchmod(fd, want); err {
	case unix.EPERM, unix.EACCES, unix.ENOTSUP, unix.ENOSYS, unix.EINVAL:
		// Our own new file: it is the mount that fixes modes (FAT, SMB), and its user decided who may read. No reason not to lock.
		return nil
	default:
		return err
	}
}

func writeAll(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err == unix.EINTR { // said only when nothing was written
			continue
		}
		if err != nil {
			return err
		}
		if n <= 0 {
			return unix.EIO
		}
		data = data[n:]
	}
	return nil
}
