//go:build linux

package faultfs

import (
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// An open file is its descriptor; the kernel gets it as the handle.

// Create makes a file. Of one that fails after its effect, only the name is left.
func (m *mirror) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	file := -1
	status := m.entry("create", in.NodeId, name, &out.EntryOut, func(dir int) syscall.Errno {
		flags := int(in.Flags)&^unix.O_DIRECT | unix.O_CREAT | unix.O_NOFOLLOW | unix.O_CLOEXEC
		var err error
		file, err = unix.Openat(dir, name, flags|unix.O_EXCL, in.Mode)
		if err == unix.EEXIST && flags&unix.O_EXCL == 0 { // another has made it since the kernel looked, and it is his
			file, err = unix.Openat(dir, name, flags, in.Mode)
			return errno(err)
		}
		return given(dir, name, &in.InHeader, err)
	})
	if status != fuse.OK && file >= 0 {
		unix.Close(file)
	}
	out.Fh = uint64(file)
	return status
}

// Open opens what is known already.
func (m *mirror) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	fd, name := m.nodes.at(in.NodeId)
	file := -1
	status := m.with("open", name, func() syscall.Errno {
		var err error
		file, err = unix.Open(reopenable(fd), int(in.Flags)&^(unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_DIRECT)|unix.O_CLOEXEC, 0)
		return errno(err)
	})
	if status != fuse.OK && file >= 0 {
		unix.Close(file)
	}
	out.Fh = uint64(file)
	return status
}

func (m *mirror) Read(_ <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	_, name := m.nodes.at(in.NodeId)
	n := 0
	status := m.with("read", name, func() (e syscall.Errno) {
		got, err := unix.Pread(int(in.Fh), buf, int64(in.Offset))
		n = max(got, 0)
		return errno(err)
	})
	return fuse.ReadResultData(buf[:n]), status
}

func (m *mirror) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	_, name := m.nodes.at(in.NodeId)
	n := 0
	status := m.with("write", name, func() syscall.Errno {
		got, err := unix.Pwrite(int(in.Fh), data, int64(in.Offset))
		n = max(got, 0)
		return errno(err)
	})
	return uint32(n), status
}

func (m *mirror) Flush(_ <-chan struct{}, in *fuse.FlushIn) fuse.Status {
	_, name := m.nodes.at(in.NodeId)
	return m.with("flush", name, func() syscall.Errno { return 0 })
}

func (m *mirror) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	_, name := m.nodes.at(in.NodeId)
	return m.with("fsync", name, func() syscall.Errno { return errno(unix.Fsync(int(in.Fh))) })
}

func (m *mirror) Release(_ <-chan struct{}, in *fuse.ReleaseIn) { unix.Close(int(in.Fh)) }
