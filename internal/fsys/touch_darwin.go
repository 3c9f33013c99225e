package fsys

import "golang.org/x/sys/unix"

// touch goes through a descriptor, as macOS's utimensat is a library function that reads this host's clock itself, and its
// utimes follows links. Unlike elsewhere this needs permission to read the file, and a link is ELOOP.
func touch(path string) error {
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := retryEINTR(func() (int, error) { return unix.Open(path, flags, 0) })
	if err != nil {
		return err
	}
	err = unix.Futimes(fd, nil)
	unix.Close(fd)
	return err
}
