//go:build linux

package faultfs

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// A listing is an open directory: what it held when it was last read from the start.
type listing struct {
	fd      int
	entries []fuse.DirEntry
}

func (m *mirror) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	fd, name := m.nodes.at(in.NodeId)
	dir := -1
	status := m.with("opendir", name, func() syscall.Errno {
		var err error
		dir, err = unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return errno(err)
	})
	if status != fuse.OK {
		if dir >= 0 {
			unix.Close(dir)
		}
		return status
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handle++
	m.listings[m.handle] = &listing{fd: dir}
	out.Fh = m.handle
	return status
}

func (m *mirror) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	_, name := m.nodes.at(in.NodeId)
	m.mu.Lock()
	l := m.listings[in.Fh]
	m.mu.Unlock()
	return m.with("readdir", name, func() syscall.Errno {
		if in.Offset == 0 {
			entries, err := m.list(l.fd, name)
			if err != nil {
				return syscall.EIO
			}
			l.entries = entries
		}
		for i := int(in.Offset); i < len(l.entries); i++ {
			e := l.entries[i]
			e.Off = uint64(i + 1)
			if !out.AddDirEntry(e) {
				break
			}
		}
		return 0
	})
}

// list reads a directory, and falsifies it.
func (m *mirror) list(fd int, dir string) ([]fuse.DirEntry, error) {
	again, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), dir)
	defer f.Close()
	found, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	var entries []fuse.DirEntry
	for _, e := range found {
		if m.rules.lies(path.Join(dir, e.Name())).omit {
			continue
		}
		entries = append(entries, fuse.DirEntry{Name: e.Name(), Mode: kind(e.Type()), Ino: 1})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.removed[dir] {
		there := slices.ContainsFunc(entries, func(o fuse.DirEntry) bool { return o.Name == e.Name })
		if !there && m.rules.lies(path.Join(dir, e.Name)).keep {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// kind is a file's type in the kernel's words.
func kind(t fs.FileMode) uint32 {
	switch t {
	case fs.ModeDir:
		return unix.S_IFDIR
	case fs.ModeSymlink:
		return unix.S_IFLNK
	case fs.ModeNamedPipe:
		return unix.S_IFIFO
	case fs.ModeSocket:
		return unix.S_IFSOCK
	case fs.ModeDevice:
		return unix.S_IFBLK
	case fs.ModeDevice | fs.ModeCharDevice:
		return unix.S_IFCHR
	}
	return unix.S_IFREG
}

// keep remembers what was removed, for listings.
func (m *mirror) keep(full string, mode uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir := path.Dir(full)
	if dir == "." {
		dir = ""
	}
	m.removed[dir] = append(m.removed[dir], fuse.DirEntry{Name: path.Base(full), Mode: mode, Ino: 1})
}

func (m *mirror) ReleaseDir(in *fuse.ReleaseIn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	unix.Close(m.listings[in.Fh].fd)
	delete(m.listings, in.Fh)
}
