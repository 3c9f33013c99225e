package fsys

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// mounts is the table as of at most a second ago. A mount that is younger is taken for the one that it lies on, which
// is harmless: the identifier says who waits in line behind whom.
var mounts struct {
	sync.Mutex
	read  time.Duration // by Mono, 0 never
	table MountTable
}

func (osFS) Mount(path string) string { return mountTable().Find(path) }

func (osFS) InMemory(path string) (string, bool) {
	parent, base := filepath.Split(path)
	if base == "" || base == "." || base == ".." || parent != filepath.Clean(parent)+"/" || !mountTable().InMemory(path) {
		return "", false
	}
	return path, linkless(parent)
}

func mountTable() MountTable {
	mounts.Lock()
	defer mounts.Unlock()
	if now := Mono(); mounts.read == 0 || now-mounts.read >= time.Second {
		if text, err := os.ReadFile("/proc/self/mountinfo"); err == nil { // else what was known before is the best there is
			mounts.table = ParseMountTable(text)
		}
		mounts.read = now
	}
	return mounts.table
}
