//go:build unix

package fsys

import (
	"golang.org/x/sys/unix"
)

func (d *dir) Read(name string, max int) ([]byte, error) {
	if err := d.open("read", name); err != nil {
		return nil, err
	}
	data, err := readAt(d.fd, name, max)
	if err != nil {
		return data, pathError("read", join(d.path, name), err)
	}
	return data, nil
}

func readAt(dirfd int, name string, max int) ([]byte, error) {
	fd, size, err := openRegular(dirfd, name)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	// The size is a hint only: the file may be growing.
	buf := make([]byte, 0, 1+min(int64(max), size))
	for {
		n, err := retryEINTR(func() (int, error) { return unix.Read(fd, buf[len(buf):cap(buf)]) })
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			return buf, nil
		}
		if buf = buf[:len(buf)+n]; len(buf) > max {
			return buf[:max], ErrTooLong
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// openRegular opens a regular file for reading.
func openRegular(dirfd int, name string) (fd int, size int64, err error) {
	// Looked at before it is opened, since to open a device can do things, and after, since it may have been replaced;
	// O_NONBLOCK lets the open of a FIFO that came in between return at once.
	if i, err := retryEINTR(func() (Info, error) { return statAt(dirfd, name) }); err != nil {
		return -1, 0, err
	} else if i.Kind != KindRegular {
		return -1, 0, ErrNotRegular
	}
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err = retryEINTR(func() (int, error) { return unix.Openat(dirfd, name, flags, 0) })
	if err != nil {
		return -1, 0, err
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	if err == nil && kindOf(uint32(st.Mode)) != KindRegular {
		err = ErrNotRegular
	}
	if err != nil {
		unix.Close(fd)
		return -1, 0, err
	}
	return fd, st.Size, nil
}
