package fsys

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// mounts is the table as it is: the kernel says, at the price of one poll(2), whether it changed since it was read. For that one
// descriptor stays open for as long as the process lives. Where there is none to be had, the table is as of at most a second ago.
var mounts struct {
	sync.Mutex
	file  *os.File
	read  time.Duration // by Mono, 0 never
	table MountTable
	gen   uint64
}

func (osFS) Mount(path string) string {
	table, _ := mountTable()
	return table.Find(path)
}

func (osFS) Mounts() uint64 {
	_, gen := mountTable()
	return gen
}

func (osFS) InMemory(path string) (string, bool) {
	parent, base := filepath.Split(path)
	if base == "" || base == "." || base == ".." || parent != filepath.Clean(parent)+"/" {
		return "", false
	}
	if table, _ := mountTable(); !table.InMemory(path) {
		return "", false
	}
	return path, linkless(parent)
}

func mountTable() (table MountTable, gen uint64) {
	mounts.Lock()
	defer mounts.Unlock()
	if mounts.file == nil {
		mounts.file, _ = os.Open("/proc/self/mountinfo")
	}
	now := Mono()
	if mounts.read != 0 && !changed(mounts.file) && (mounts.file != nil || now-mounts.read < time.Second) {
		return mounts.table, mounts.gen
	}
	if text, err := readAgain(mounts.file); err == nil { // else what was known before is the best there is
		mounts.table = ParseMountTable(text)
	}
	mounts.read = now
	mounts.gen++
	return mounts.table, mounts.gen
}

// changed reports whether the mounts changed since the last time it was asked.
func changed(f *os.File) bool {
	if f == nil {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLPRI}}
	n, err := unix.Poll(fds, 0)
	return n != 0 || err != nil
}

func readAgain(f *os.File) ([]byte, error) {
	if f == nil {
		return nil, errors.ErrUnsupported
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}
