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
	// Looked at before it is opened, since to open a device can do things, and after, since it may have been replaced;
	// O_NONBLOCK lets the open of a FIFO that came in between return at once.
	if i, err := retryEINTR(func() (Info, error) { return statAt(dirfd, name) }); err != nil {
		return nil, err
	} else if i.Kind != KindRegular {
		return nil, ErrNotRegular
	}
	const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
	fd, err := retryEINTR(func() (int, error) { return unix.Openat(dirfd, name, flags, 0) })
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if kindOf(uint32(st.Mode)) != KindRegular {
		return nil, ErrNotRegular
	}
	// The size is a hint only: the file may be growing.
	buf := make([]byte, 0, 1+min(int64(max), st.Size))
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
