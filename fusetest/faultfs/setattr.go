//go:build linux

package faultfs

import (
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

const times = fuse.FATTR_ATIME | fuse.FATTR_MTIME

// SetAttr is "utimens" to the rules where a time is set, and else "setattr".
func (m *mirror) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	fd, name := m.nodes.at(in.NodeId)
	op := "setattr"
	if in.Valid&times != 0 {
		op = "utimens"
	}
	return m.with(op, name, func() syscall.Errno {
		still := m.rules.lies(name).still
		for _, set := range []func() error{
			func() error { return setMode(fd, in) },
			func() error { return setOwner(fd, in) },
			func() error { return setSize(fd, in) },
			func() error { return setTimes(fd, in, still) },
		} {
			if err := set(); err != nil {
				return errno(err)
			}
		}
		return m.attr(fd, name, out)
	})
}

func setMode(fd int, in *fuse.SetAttrIn) error {
	mode, ok := in.GetMode()
	if !ok {
		return nil
	}
	return unix.Chmod(reopenable(fd), mode)
}

func setOwner(fd int, in *fuse.SetAttrIn) error {
	uid, gid := -1, -1
	if in.Valid&fuse.FATTR_UID != 0 {
		uid = int(in.Uid)
	}
	if in.Valid&fuse.FATTR_GID != 0 {
		gid = int(in.Gid)
	}
	if uid == -1 && gid == -1 {
		return nil
	}
	return unix.Fchownat(fd, "", uid, gid, unix.AT_EMPTY_PATH)
}

func setSize(fd int, in *fuse.SetAttrIn) error {
	if in.Valid&fuse.FATTR_SIZE == 0 {
		return nil
	}
	return unix.Truncate(reopenable(fd), int64(in.Size))
}

func setTimes(fd int, in *fuse.SetAttrIn, still bool) error {
	if in.Valid&times == 0 {
		return nil
	}
	one := func(set, now uint32, sec uint64, nsec uint32) unix.Timespec {
		switch {
		case in.Valid&set == 0:
			return unix.Timespec{Nsec: unix.UTIME_OMIT}
		case in.Valid&now != 0: // this server's own clock, as on a real one
			return unix.Timespec{Nsec: unix.UTIME_NOW}
		}
		return unix.Timespec{Sec: int64(sec), Nsec: int64(nsec)}
	}
	atime := one(fuse.FATTR_ATIME, fuse.FATTR_ATIME_NOW, in.Atime, in.Atimensec)
	mtime := one(fuse.FATTR_MTIME, fuse.FATTR_MTIME_NOW, in.Mtime, in.Mtimensec)
	if still {
		mtime = unix.Timespec{Nsec: unix.UTIME_OMIT}
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, reopenable(fd), []unix.Timespec{atime, mtime}, 0)
}
