//go:build unix

package fsys

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// dir is an open directory by its bare descriptor: no os.File, whose finalizer and poller have no part in this.
type dir struct {
	fd     int
	path   string // for errors only
	listed bool
	asked  bool // for its traits
	traits Traits
}

func (osFS) OpenDir(path string) (Dir, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := retryEINTR(func() (int, error) { return unix.Open(path, flags, 0) })
	if err != nil {
		return nil, pathError("open", path, err)
	}
	return &dir{fd: fd, path: path}, nil
}

func (d *dir) Close() error {
	if d.fd < 0 {
		return pathError("close", d.path, fs.ErrClosed)
	}
	fd := d.fd
	d.fd = -1 // whatever close says, the number is free by now and may be somebody else's
	if err := unix.Close(fd); err != nil {
		return pathError("close", d.path, err)
	}
	return nil
}

// open refuses to work on a closed directory: -1 would be EBADF, but AT_FDCWD is negative, too, and not far away.
func (d *dir) open(op, name string) error {
	if d.fd < 0 {
		return pathError(op, join(d.path, name), fs.ErrClosed)
	}
	return nil
}

func (d *dir) Unlink(name string) error {
	if err := d.open("unlink", name); err != nil {
		return err
	}
	return unlinkAt(d.fd, d.path, name)
}

func (d *dir) Create(name string, data []byte, mode fs.FileMode) error {
	if err := d.open("create", name); err != nil {
		return err
	}
	if !d.asked {
		if _, err := d.Traits(); err != nil {
			return pathError("create", join(d.path, name), errors.Unwrap(err))
		}
	}
	return createAt(d.fd, d.path, name, data, mode, delegates(d.traits))
}

func (d *dir) Stat(name string) (Info, error) {
	if err := d.open("stat", name); err != nil {
		return Info{}, err
	}
	i, err := retryEINTR(func() (Info, error) { return statAt(d.fd, name) })
	if err != nil {
		return Info{}, pathError("stat", join(d.path, name), err)
	}
	return i, nil
}

func (d *dir) Info() (Info, error) {
	if err := d.open("stat", ""); err != nil {
		return Info{}, err
	}
	i, err := retryEINTR(func() (Info, error) { return statFd(d.fd) })
	if err != nil {
		return Info{}, pathError("stat", d.path, err)
	}
	return i, nil
}

func (d *dir) Grant(mode fs.FileMode) error {
	if err := d.open("chmod", ""); err != nil {
		return err
	}
	// The same mode twice is the same: the retry is safe.
	_, err := retryEINTR(func() (struct{}, error) {
		// Not a forced look: right after mkdir and open the client has what the server said a moment ago.
		var st unix.Stat_t
		if err := unix.Fstat(d.fd, &st); err != nil {
			return struct{}{}, err
		}
		has := uint32(st.Mode) & (unix.S_ISGID | unix.S_ISVTX | 0o777)
		want := unixMode(mode) | has&^0o777
		if want == has {
			return struct{}{}, nil
		}
		return struct{}{}, unix.Fchmod(d.fd, want)
	})
	if err != nil {
		return pathError("chmod", d.path, err)
	}
	return nil
}

func (d *dir) Traits() (Traits, error) {
	if err := d.open("statfs", ""); err != nil {
		return Traits{}, err
	}
	t, err := retryEINTR(func() (Traits, error) { return traitsOfFd(d.fd) })
	if err != nil {
		return Traits{}, pathError("statfs", d.path, err)
	}
	d.asked, d.traits = true, t
	return t, nil
}

func unlinkAt(dirfd int, dirpath, name string) error {
	if err := unix.Unlinkat(dirfd, name, 0); err != nil {
		return pathError("unlink", join(dirpath, name), err)
	}
	return nil
}

func join(dir, name string) string {
	switch {
	case dir == "":
		return name
	case name == "":
		return dir
	}
	return dir + "/" + name
}
