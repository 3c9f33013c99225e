//go:build linux

package faultfs

import (
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// A node is a file or directory that the kernel knows. Its descriptor (O_PATH) keeps the inode's number from being used
// again, and answers for it after its name is gone.
type node struct {
	fd      int
	key     inode
	name    string // where it was seen last, relative to the mount point
	lookups uint64
}

type inode struct{ dev, ino uint64 }

// nodes are all of a mount, by the number that the kernel has for them.
type nodes struct {
	mu    sync.Mutex
	next  uint64
	byID  map[uint64]*node
	byKey map[inode]uint64
}

func newNodes(root int) *nodes {
	top := &node{fd: root, lookups: 1}
	return &nodes{next: fuse.FUSE_ROOT_ID + 1, byID: map[uint64]*node{fuse.FUSE_ROOT_ID: top}, byKey: map[inode]uint64{}}
}

// at returns the descriptor and the name of a node. The kernel asks for none that it has forgotten.
func (ns *nodes) at(id uint64) (fd int, name string) {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	n := ns.byID[id]
	return n.fd, n.name
}

// child is the path of a name in a directory.
func (ns *nodes) child(id uint64, name string) (fd int, full string) {
	fd, dir := ns.at(id)
	return fd, path.Join(dir, name)
}

// look finds what has a name in a directory, and counts it as known to the kernel once more.
func (ns *nodes) look(dirfd int, base, full string) (uint64, syscall.Stat_t, syscall.Errno) {
	var st syscall.Stat_t
	fd, err := unix.Openat(dirfd, base, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, st, errno(err)
	}
	if err := syscall.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return 0, st, errno(err)
	}
	key := inode{st.Dev, st.Ino}
	ns.mu.Lock()
	defer ns.mu.Unlock()
	id, known := ns.byKey[key]
	if known {
		unix.Close(fd)
	} else {
		id = ns.next
		ns.next++
		ns.byKey[key] = id
		ns.byID[id] = &node{fd: fd, key: key}
	}
	n := ns.byID[id]
	n.name = full
	n.lookups++
	return id, st, 0
}

func (ns *nodes) forget(id, lookups uint64) {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	n := ns.byID[id]
	if n == nil || id == fuse.FUSE_ROOT_ID {
		return
	}
	if n.lookups -= min(lookups, n.lookups); n.lookups == 0 {
		unix.Close(n.fd)
		delete(ns.byID, id)
		delete(ns.byKey, n.key)
	}
}

// moved gives what has a name, and all below it, the names that they have got.
func (ns *nodes) moved(from, to string) {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	for _, n := range ns.byID {
		if below, ok := strings.CutPrefix(n.name, from); ok && (below == "" || below[0] == '/') {
			n.name = to + below
		}
	}
}

// reopenable is a path by which what a descriptor stands for is opened, or changed, itself.
func reopenable(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func errno(err error) syscall.Errno {
	switch e := err.(type) {
	case nil:
		return 0
	case syscall.Errno:
		return e
	}
	return syscall.EIO
}
