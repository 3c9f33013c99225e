package memfs

import (
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A node is a file or a directory, whatever its name.
type node struct {
	kind    fsys.Kind
	mode    fs.FileMode
	data    []byte
	mtime   time.Time
	ino     uint64
	entries []entry // of a directory, by name
	views   []*view // what hosts remember of a directory

	made      time.Time // by the clock of memories, which is not stepped
	removed   bool
	removedAt time.Time // by the same
	removedBy *Client   // whose rmdir of the directory succeeded; it may be pending
	movedBy   *Client
	handles   int // by how many handles it is open here, so that its inode number stays taken
	opened    []*OpenFile
	guards    []*Guard
	hiding    *hiding
	shown     *shown
	ending    bool // it is a directory, and its removal is pending

	delegated  []*delegation
	recalledAt time.Time // when a delegation of it was last given back
}

// shown is a creator's own time, which is seen for a while instead of the server's.
type shown struct{ mtime, until time.Time }

type entry struct {
	name string
	n    *node
}

// search returns where name is among the entries, or belongs.
func (n *node) search(name string) (i int, found bool) {
	for j := len(n.entries); i < j; { // not slices.BinarySearchFunc, which is twice as slow here
		h := int(uint(i+j) >> 1)
		if n.entries[h].name < name {
			i = h + 1
		} else {
			j = h
		}
	}
	return i, i < len(n.entries) && n.entries[i].name == name
}

// get returns the entry of that name, or nil.
func (n *node) get(name string) *node {
	i, found := n.search(name)
	if !found {
		return nil
	}
	return n.entries[i].n
}

// set makes name an entry, or no entry if e is nil.
func (n *node) set(name string, e *node) {
	i, found := n.search(name)
	switch {
	case found && e == nil:
		n.entries = slices.Delete(n.entries, i, i+1)
	case found:
		n.entries[i].n = e
	case e != nil:
		n.entries = slices.Insert(n.entries, i, entry{name, e})
	}
}

// child is get with the errors of a look-up at the server.
func (n *node) child(name string) (*node, error) {
	if err := n.takes(name); err != nil {
		return nil, err
	}
	e := n.get(name)
	if e == nil {
		return nil, syscall.ENOENT
	}
	return e, nil
}

// takes says why name cannot be one in n.
func (n *node) takes(name string) error {
	switch {
	case n.kind != fsys.KindDir:
		return syscall.ENOTDIR
	case len(name) > nameMax:
		return syscall.ENAMETOOLONG
	case name == "":
		return syscall.ENOENT
	case strings.IndexByte(name, '/') >= 0 || strings.IndexByte(name, 0) >= 0:
		return syscall.EINVAL
	}
	return nil
}

const nameMax = 255

// removable says why the entry n cannot be removed as a directory, or as a file.
func removable(n *node, isDir bool) error {
	switch {
	case isDir && n.kind != fsys.KindDir:
		return syscall.ENOTDIR
	case isDir && len(n.entries) > 0:
		return syscall.ENOTEMPTY
	case !isDir && n.kind == fsys.KindDir:
		return syscall.EISDIR
	}
	return nil
}

// drop takes the entry n out of a directory, and n is no more. The caller holds mu.
func (s *Server) drop(dir *node, name string, n *node, now time.Time) {
	dir.set(name, nil)
	dir.mtime = s.stamp(now)
	n.removed, n.removedAt = true, now
	s.letGo(n)
}

// letGo gives the number of a removed node back once nobody has it open.
func (s *Server) letGo(n *node) {
	if n.removed && n.handles == 0 {
		s.inodes.give(n.ino)
	}
}

// inodes hands out numbers, the lowest free one first, as ext4 does: a number comes back at once.
type inodes struct {
	last uint64
	free []uint64 // descending
}

func (f *inodes) take() uint64 {
	if k := len(f.free); k > 0 {
		low := f.free[k-1]
		f.free = f.free[:k-1]
		return low
	}
	f.last++
	return f.last
}

func (f *inodes) give(ino uint64) {
	i, _ := slices.BinarySearchFunc(f.free, ino, func(a, b uint64) int {
		if a > b {
			return -1
		}
		if a < b {
			return 1
		}
		return 0
	})
	f.free = slices.Insert(f.free, i, ino)
}
