package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// A place is a directory of this run on one file system.
type place struct {
	fs   string // its kind, such as ext4
	root string

	mu   sync.Mutex
	dirs int
}

var kindsOfFS = map[int64]string{
	unix.EXT4_SUPER_MAGIC:      "ext4",
	unix.TMPFS_MAGIC:           "tmpfs",
	unix.XFS_SUPER_MAGIC:       "xfs",
	unix.BTRFS_SUPER_MAGIC:     "btrfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlay",
	unix.NFS_SUPER_MAGIC:       "nfs",
}

// newPlace makes a directory below base and asks which kind of file system it is on.
func newPlace(base string) (*place, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(base, &st); err != nil {
		return nil, &os.PathError{Op: "statfs", Path: base, Err: err}
	}
	kind, known := kindsOfFS[int64(st.Type)]
	if !known {
		kind = fmt.Sprintf("fs-%x", st.Type)
	}
	root, err := os.MkdirTemp(base, "mkdirlock-bench-")
	if err != nil {
		return nil, err
	}
	return &place{fs: kind, root: root}, nil
}

// dir makes a directory for one lock and what belongs to it.
func (p *place) dir() (string, error) {
	p.mu.Lock()
	p.dirs++
	name := filepath.Join(p.root, fmt.Sprint(p.dirs))
	p.mu.Unlock()
	return name, os.Mkdir(name, 0o755)
}

// remove leaves nothing of this run behind.
func (p *place) remove() error { return os.RemoveAll(p.root) }
