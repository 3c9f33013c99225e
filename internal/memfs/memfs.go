// Package memfs is a file system in memory that behaves as a plain, local one does, for tests that need its clock to be
// theirs: in a testing/synctest bubble, hours pass at once.
package memfs

import (
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A Server holds the files. Several clients may share it; each call is atomic.
type Server struct {
	mu   sync.Mutex
	root *node
	ino  uint64
	step time.Duration // how far its clock was stepped
}

type node struct {
	kind    fsys.Kind
	mode    fs.FileMode
	data    []byte
	mtime   time.Time
	ino     uint64
	removed bool
	entries map[string]*node // of a directory
}

// NewServer returns a server with an empty root directory.
func NewServer() *Server {
	s := &Server{}
	s.root = s.node(fsys.KindDir, 0o755)
	return s
}

// Step sets the server's clock forward or back.
func (s *Server) Step(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step += d
}

func (s *Server) now() time.Time { return time.Now().Round(0).Add(s.step) }

func (s *Server) node(kind fsys.Kind, mode fs.FileMode) *node {
	s.ino++
	n := &node{kind: kind, mode: mode, mtime: s.now(), ino: s.ino}
	if kind == fsys.KindDir {
		n.entries = map[string]*node{}
	}
	return n
}

// A Client is the server's tree as one host mounts it.
type Client struct {
	*Server
	Kind   fsys.Traits
	Offset func() time.Duration // how far this host's clock is ahead; used where Kind says that beats carry it
}

var _ fsys.FS = (*Client)(nil)

// Local returns a client as on one machine.
func (s *Server) Local() *Client {
	return &Client{Server: s, Kind: fsys.Traits{Type: "memfs", Local: true, Beats: fsys.ClockFS, Dev: 1, NameMax: 255}}
}

// find walks to the node at p, which is absolute. The caller holds mu.
func (s *Server) find(p string) (*node, error) {
	n := s.root
	for name := range strings.SplitSeq(strings.Trim(p, "/"), "/") {
		if name == "" {
			continue
		}
		switch {
		case n.kind != fsys.KindDir:
			return nil, syscall.ENOTDIR
		case len(name) > 255:
			return nil, syscall.ENAMETOOLONG
		case n.entries[name] == nil:
			return nil, syscall.ENOENT
		}
		n = n.entries[name]
	}
	return n, nil
}

// parent finds the directory that p is an entry of. The caller holds mu.
func (s *Server) parent(p string) (*node, string, error) {
	n, err := s.find(path.Dir(p))
	if err == nil && n.kind != fsys.KindDir {
		err = syscall.ENOTDIR
	}
	return n, path.Base(p), err
}

func (c *Client) do(op, p string, f func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := f(); err != nil {
		return &fs.PathError{Op: op, Path: p, Err: err}
	}
	return nil
}

// add puts a new entry into a directory. The caller holds mu.
func (s *Server) add(dir *node, name string, n *node) error {
	switch {
	case dir.removed:
		return syscall.ENOENT
	case len(name) > 255:
		return syscall.ENAMETOOLONG
	case dir.entries[name] != nil:
		return syscall.EEXIST
	}
	dir.entries[name] = n
	dir.mtime = s.now()
	return nil
}

// drop takes an entry out of a directory. The caller holds mu.
func (s *Server) drop(dir *node, name string, isDir bool) error {
	n := dir.entries[name]
	switch {
	case len(name) > 255:
		return syscall.ENAMETOOLONG
	case n == nil:
		return syscall.ENOENT
	case isDir && n.kind != fsys.KindDir:
		return syscall.ENOTDIR
	case isDir && len(n.entries) > 0:
		return syscall.ENOTEMPTY
	case !isDir && n.kind == fsys.KindDir:
		return syscall.EISDIR
	}
	n.removed = true
	delete(dir.entries, name)
	dir.mtime = s.now()
	return nil
}

func (n *node) info() fsys.Info {
	links := uint64(1)
	if n.removed {
		links = 0
	}
	return fsys.Info{Kind: n.kind, Mode: n.mode, Size: int64(len(n.data)), Mtime: n.mtime, Nlink: links, Dev: 1, Ino: n.ino}
}

func (c *Client) stamp() time.Time {
	if c.Kind.Beats == fsys.ClockClient && c.Offset != nil {
		return time.Now().Round(0).Add(c.Offset())
	}
	return c.now()
}
