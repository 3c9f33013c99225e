package fsys

import (
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// mounts is the table as it is: the kernel says, at the price of one poll(2), whether it changed since it was read. For that one
// descriptor stays open for as long as the process lives; not an [os.File], as the runtime would wait for it too, and the kernel
// tells each change to one of us only. Where there is none to be had, nothing is known yet, or no more than before.
var mounts = struct {
	sync.Mutex
	fd    int // -1: none yet
	table MountTable
	gen   uint64
}{fd: -1}

func (osFS) Mount(path string) string {
	table, _ := mountTable()
	return table.Find(path)
}

func (osFS) Mounts() uint64 {
	_, gen := mountTable()
	return gen
}

func (osFS) Near(path string) (resolved string, memory, ok bool) {
	parent, base := filepath.Split(path)
	if base == "" || base == "." || base == ".." || parent != filepath.Clean(parent)+"/" {
		return "", false, false
	}
	table, _ := mountTable()
	memory, ok = table.Near(path)
	return path, memory, ok && linkless(parent)
}

func mountTable() (table MountTable, gen uint64) {
	mounts.Lock()
	defer mounts.Unlock()
	young := mounts.fd < 0
	if young {
		if mounts.fd, _ = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); mounts.fd < 0 {
			return mounts.table, mounts.gen
		}
	}
	if young || changed(mounts.fd) {
		if text, err := readFrom0(mounts.fd); err == nil { // else what was known before is the best there is
			mounts.table = ParseMountTable(text)
		}
		mounts.gen++
	}
	return mounts.table, mounts.gen
}

// changed reports whether the mounts changed since the last time it was asked.
func changed(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLPRI}}
	n, err := unix.Poll(fds, 0)
	return n != 0 || err != nil
}

func readFrom0(fd int) (text []byte, err error) {
	buf := make([]byte, 4096)
	for {
		n, err := retryEINTR(func() (int, error) { return unix.Pread(fd, buf, int64(len(text))) })
		if err != nil || n == 0 {
			return text, err
		}
		text = append(text, buf[:n]...)
	}
}
