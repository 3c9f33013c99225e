//go:build linux

package faultfs

import (
	"path"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// given makes what was just made the caller's, and in a directory that gives its group to what is in it leaves it that.
func given(dir int, name string, caller *fuse.InHeader, made error) syscall.Errno {
	if made != nil || caller.Uid == 0 && caller.Gid == 0 {
		return errno(made)
	}
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return errno(err)
	}
	gid := int(caller.Gid)
	if st.Mode&unix.S_ISGID != 0 {
		gid = -1
	}
	return errno(unix.Fchownat(dir, name, int(caller.Uid), gid, unix.AT_SYMLINK_NOFOLLOW))
}

func (m *mirror) Symlink(_ <-chan struct{}, in *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	return m.entry("symlink", in.NodeId, name, out, func(dir int) syscall.Errno {
		return given(dir, name, in, unix.Symlinkat(to, dir, name))
	})
}

func (m *mirror) Readlink(_ <-chan struct{}, in *fuse.InHeader) (to []byte, status fuse.Status) {
	fd, name := m.nodes.at(in.NodeId)
	status = m.with("readlink", name, func() syscall.Errno {
		to = make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(fd, "", to)
		to = to[:max(n, 0)]
		return errno(err)
	})
	return to, status
}

func (m *mirror) Mknod(_ <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return m.entry("mknod", in.NodeId, name, out, func(dir int) syscall.Errno {
		return given(dir, name, &in.InHeader, unix.Mknodat(dir, name, in.Mode, int(in.Rdev)))
	})
}

func (m *mirror) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	from, _ := m.nodes.at(in.Oldnodeid)
	return m.entry("link", in.NodeId, name, out, func(dir int) syscall.Errno {
		return errno(unix.Linkat(unix.AT_FDCWD, reopenable(from), dir, name, unix.AT_SYMLINK_FOLLOW))
	})
}

// Rename is to the rules a call on the name that there was.
func (m *mirror) Rename(_ <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	fromDir, was := m.nodes.child(in.NodeId, from)
	toDir, is := m.nodes.child(in.Newdir, to)
	return m.with("rename", was, func() syscall.Errno {
		if err := unix.Renameat2(fromDir, from, toDir, to, uint(in.Flags)); err != nil {
			return errno(err)
		}
		if in.Flags&unix.RENAME_EXCHANGE != 0 {
			const aside = "\x00" // nothing is called so
			m.nodes.moved(is, path.Join(was, aside))
			m.nodes.moved(was, is)
			m.nodes.moved(path.Join(is, aside), was)
			return 0
		}
		m.nodes.moved(was, is)
		return 0
	})
}
