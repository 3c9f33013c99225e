//go:build linux

package faultfs

import (
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// A mirror is the file system.
type mirror struct {
	fuse.RawFileSystem // what is not passed through
	rules              *rules
	nodes              *nodes

	mu       sync.Mutex
	listings map[uint64]*listing
	handle   uint64
	removed  map[string][]fuse.DirEntry // by directory: what listings keep
}

// with carries a call out, unless a rule says otherwise.
func (m *mirror) with(op, name string, do func() syscall.Errno) fuse.Status {
	before, after := m.rules.meet(op, name)
	if before != 0 {
		return fuse.Status(before)
	}
	if e := do(); e != 0 {
		return fuse.Status(e)
	}
	return fuse.Status(after)
}

// entry carries a call out that makes a name known to the kernel. If it fails after that, the kernel has not heard of it.
func (m *mirror) entry(op string, dir uint64, base string, out *fuse.EntryOut, do func(dirfd int) syscall.Errno) fuse.Status {
	fd, full := m.nodes.child(dir, base)
	status := m.with(op, full, func() syscall.Errno {
		if e := do(fd); e != 0 {
			return e
		}
		id, st, e := m.nodes.look(fd, base, full)
		if e == 0 {
			out.NodeId, out.Generation = id, 1
			m.tell(full, &st, &out.Attr)
		}
		return e
	})
	if status != fuse.OK && out.NodeId != 0 {
		m.nodes.forget(out.NodeId, 1)
		out.NodeId = 0
	}
	cache := m.rules.lies(full).cache
	out.SetEntryTimeout(cache)
	out.SetAttrTimeout(cache)
	return status
}

// tell fills in the attributes as they are told.
func (m *mirror) tell(name string, st *syscall.Stat_t, out *fuse.Attr) {
	out.FromStat(st)
	if coarse := m.rules.lies(name).coarse; coarse > 0 {
		t := time.Unix(int64(out.Mtime), int64(out.Mtimensec)).Truncate(coarse)
		out.Mtime, out.Mtimensec = uint64(t.Unix()), uint32(t.Nanosecond())
	}
}

func (m *mirror) Lookup(_ <-chan struct{}, in *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	status := m.entry("lookup", in.NodeId, name, out, func(int) syscall.Errno { return 0 })
	if status == fuse.ENOENT {
		if _, full := m.nodes.child(in.NodeId, name); m.rules.lies(full).cache > 0 {
			return fuse.OK // with node 0: that there is none may be kept as well
		}
	}
	return status
}

func (m *mirror) Forget(id, lookups uint64) { m.nodes.forget(id, lookups) }

func (m *mirror) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return m.entry("mkdir", in.NodeId, name, out, func(dir int) syscall.Errno {
		return given(dir, name, &in.InHeader, unix.Mkdirat(dir, name, in.Mode))
	})
}

func (m *mirror) Rmdir(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return m.remove("rmdir", in.NodeId, name, unix.AT_REMOVEDIR, fuse.S_IFDIR)
}

func (m *mirror) Unlink(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return m.remove("unlink", in.NodeId, name, 0, fuse.S_IFREG)
}

func (m *mirror) remove(op string, dir uint64, name string, flags int, mode uint32) fuse.Status {
	fd, full := m.nodes.child(dir, name)
	return m.with(op, full, func() syscall.Errno {
		err := unix.Unlinkat(fd, name, flags)
		if err == nil && m.rules.lies(full).keep {
			m.keep(full, mode)
		}
		return errno(err)
	})
}

func (m *mirror) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	fd, name := m.nodes.at(in.NodeId)
	return m.with("getattr", name, func() syscall.Errno { return m.attr(fd, name, out) })
}

func (m *mirror) attr(fd int, name string, out *fuse.AttrOut) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return errno(err)
	}
	m.tell(name, &st, &out.Attr)
	out.SetTimeout(m.rules.lies(name).cache)
	return 0
}

func (m *mirror) StatFs(_ <-chan struct{}, in *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	fd, name := m.nodes.at(in.NodeId)
	return m.with("statfs", name, func() syscall.Errno {
		var st syscall.Statfs_t
		if err := syscall.Fstatfs(fd, &st); err != nil {
			return errno(err)
		}
		out.FromStatfsT(&st)
		return 0
	})
}
