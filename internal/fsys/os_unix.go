//go:build unix

package fsys

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// osFS is the real file system. Package os is not used for what the protocol counts as one step: os.Mkdir retries EINTR and
// os.Remove is two calls.
type osFS struct{}

// OS returns the real file system. It has no state of its own and costs nothing to ask for again.
//
// # Platforms
//
// Stat forces the client to ask the server on Linux 4.11 and later; on older ones and on BSD and macOS a network file
// system may answer from its cache. Touch carries the mount's clock except on Windows, where it carries this host's.
func OS() FS { return osFS{} }

func (osFS) Mkdir(path string, mode fs.FileMode) error {
	// On Linux mkdir has no use for setgid, which a new directory inherits; Dir.Grant sets what the umask and this leave out.
	if err := unix.Mkdir(path, unixMode(mode)); err != nil {
		return pathError("mkdir", path, err)
	}
	return nil
}

func (osFS) Rmdir(path string) error {
	if err := unix.Rmdir(path); err != nil {
		if err == unix.EEXIST { // what POSIX also allows for a directory that is not empty
			err = unix.ENOTEMPTY
		}
		return pathError("rmdir", path, err)
	}
	return nil
}

func (osFS) Unlink(path string) error { return unlinkAt(unix.AT_FDCWD, "", path) }

func (osFS) Create(path string, data []byte, mode fs.FileMode) error {
	return createAt(unix.AT_FDCWD, "", path, data, mode, false)
}

func (osFS) Stat(path string) (Info, error) {
	i, err := retryEINTR(func() (Info, error) { return statAt(unix.AT_FDCWD, path) })
	if err != nil {
		return Info{}, pathError("stat", path, err)
	}
	return i, nil
}

func (osFS) Touch(path string) error {
	if err := touch(path); err != nil {
		return pathError("touch", path, err)
	}
	return nil
}

func (osFS) SetMtime(path string, t time.Time) error {
	ts, err := unix.TimeToTimespec(t)
	if err == nil {
		err = unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return pathError("setmtime", path, err)
	}
	return nil
}

func (osFS) Traits(path string) (Traits, error) {
	t, err := retryEINTR(func() (Traits, error) { return traitsOf(path) })
	if err != nil {
		return Traits{}, pathError("statfs", path, err)
	}
	return t, nil
}

// retryEINTR is for calls that change nothing.
func retryEINTR[T any](f func() (T, error)) (T, error) {
	for {
		v, err := f()
		if err != unix.EINTR {
			return v, err
		}
	}
}

func unixMode(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		mode |= unix.S_ISUID
	}
	if m&fs.ModeSetgid != 0 {
		mode |= unix.S_ISGID
	}
	if m&fs.ModeSticky != 0 {
		mode |= unix.S_ISVTX
	}
	return mode
}

func goMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	if mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}

func kindOf(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return KindRegular
	case unix.S_IFDIR:
		return KindDir
	case unix.S_IFLNK:
		return KindSymlink
	default:
		return KindOther
	}
}
