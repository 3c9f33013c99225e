package fsys

import (
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// The lock is flock(2). It belongs to the open file, and so to all who have inherited that, and is gone with the last of them. It can
// be had through a descriptor that only reads, which is all that a stranger may open, and which does not keep an administrator from making the
// mount read-only. An NFS server that exports the directory takes none for its clients, whose locks are of another kind.

// locked is a file by its bare descriptor, like dir.
type locked struct {
	fd   int
	path string // for errors only
}

func (d *dir) Guard(name string) (io.Closer, error) {
	return d.lock("guard", name, unix.LOCK_EX, func() (int, error) {
		const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_NOCTTY | unix.O_CLOEXEC
		return retryEINTR(func() (int, error) { return unix.Openat(d.fd, name, flags, 0) })
	})
}

func (d *dir) Probe(name string) (io.Closer, error) {
	return d.lock("probe", name, unix.LOCK_SH, func() (int, error) {
		fd, _, err := openRegular(d.fd, name)
		return fd, err
	})
}

func (d *dir) lock(op, name string, how int, open func() (int, error)) (io.Closer, error) {
	if err := d.open(op, name); err != nil {
		return nil, err
	}
	fd, err := open()
	if err != nil {
		return nil, pathError(op, join(d.path, name), err)
	}
	_, err = retryEINTR(func() (struct{}, error) { return struct{}{}, unix.Flock(fd, how|unix.LOCK_NB) })
	if err != nil {
		_ = unix.Close(fd)
		return nil, pathError(op, join(d.path, name), err)
	}
	return &locked{fd, join(d.path, name)}, nil
}

func (l *locked) Close() error {
	if l.fd < 0 {
		return pathError("close", l.path, fs.ErrClosed)
	}
	fd := l.fd
	l.fd = -1
	if err := unix.Close(fd); err != nil {
		return pathError("close", l.path, err)
	}
	return nil
}

// SpareDescriptors is how many guards this process may keep open, so that there are enough descriptors for what it is there for.
func SpareDescriptors() int {
	const most = 256
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(limit.Cur/4, most))
}
