package fsys

import (
	"path"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// resolveDir mostly has nothing to resolve. Else it lets the kernel walk the path once and say where it got to: open, readlink,
// close, however many links there are.
func resolveDir(dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	if linkless(dir) {
		return path.Clean(dir), nil // by the letter, which is right where there is no link
	}
	// O_DIRECTORY also makes an automounted directory appear, which O_PATH alone would not.
	const flags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
	fd, err := retryEINTR(func() (int, error) { return unix.Open(dir, flags, 0) })
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	where, ok := fdPath(fd)
	if !ok {
		return evalDir(dir)
	}
	if dir[0] == '/' && !strings.HasSuffix(where, deleted) {
		return where, nil
	}
	// A working directory may have been removed, or lie under a mount made later, and then no path leads there.
	if there, err := sameDir(fd, where); err != nil {
		return "", err
	} else if !there {
		return "", unix.ENOENT
	}
	return where, nil
}

// linkless reports whether the kernel says that an absolute path leads to a directory and that no link lies on the way. It costs
// half of asking where the path leads. Of any other answer (a link, no such directory, a kernel before 5.6 or a sandbox that does
// not know the call) the other way makes the best.
func linkless(dir string) bool {
	if dir[0] != '/' {
		return false
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &how)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// deleted is what the kernel appends to the name of a directory that was removed. A directory may also be called that.
const deleted = " (deleted)"

// haveProc tells whether what is mounted at /proc is one. Whose pid namespace it shows does not matter here: self is the
// reader in each, or missing.
var haveProc = sync.OnceValue(func() bool {
	var st unix.Statfs_t
	return unix.Statfs("/proc/self/fd", &st) == nil && st.Type == unix.PROC_SUPER_MAGIC
})

func fdPath(fd int) (string, bool) {
	if !haveProc() {
		return "", false
	}
	buf := buffers.Get().(*[8 << 10]byte)
	defer buffers.Put(buf)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	// "(unreachable)/..." is a directory outside of this process's root.
	if err != nil || n <= 0 || n == len(buf) || buf[0] != '/' {
		return "", false
	}
	return string(buf[:n]), true
}

func sameDir(fd int, path string) (bool, error) {
	var a, b unix.Stat_t
	if err := unix.Fstat(fd, &a); err != nil {
		return false, err
	}
	switch err := unix.Lstat(path, &b); err {
	case nil:
		return a.Dev == b.Dev && a.Ino == b.Ino, nil
	case unix.ENOENT, unix.ENOTDIR:
		return false, nil
	default:
		return false, err
	}
}
