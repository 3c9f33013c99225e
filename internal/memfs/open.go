package memfs

import (
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// An OpenFile is a file that somebody on the client's host has open: a backup, a virus scanner, an editor.
type OpenFile struct {
	c      *Client
	n      *node
	path   string
	closed bool
}

// hiding says where an open file is that was unlinked.
type hiding struct {
	dir  *node
	name string
	by   *Client // whose .nfs file it is; nil: its deletion is pending
}

// Open opens a regular file.
func (c *Client) Open(p string) (*OpenFile, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _, err := c.find(p, toOpen, c.moment())
	if err == nil && n.kind != fsys.KindRegular {
		err = syscall.EISDIR
	}
	if err != nil {
		return nil, about("open", p, err)
	}
	f := &OpenFile{c: c, n: n, path: p}
	n.opened = append(n.opened, f)
	n.handles++
	return f, nil
}

// Close closes the file, and ends it if it was unlinked and nobody else keeps it. A second call is [fs.ErrClosed].
func (f *OpenFile) Close() error {
	s, n := f.c.Server, f.n
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.closed {
		return about("close", f.path, fs.ErrClosed)
	}
	f.closed = true
	n.opened = slices.DeleteFunc(n.opened, func(o *OpenFile) bool { return o == f })
	n.handles--
	if n.removed {
		s.letGo(n)
		return nil
	}
	h := n.hiding
	if h == nil || n.isOpenBy(func(o *Client) bool { return o == h.by || h.by == nil && pends(o) }) {
		return nil
	}
	n.hiding = nil
	if h.dir.get(h.name) == n { // else somebody renamed it
		s.drop(h.dir, h.name, n, clock())
		f.c.changed(h.dir)
	}
	return nil
}

func (n *node) isOpenBy(is func(*Client) bool) bool {
	return slices.ContainsFunc(n.opened, func(f *OpenFile) bool { return is(f.c) })
}

// pends reports whether the server keeps what this client has open.
func pends(c *Client) bool { return !c.b.NoPending }

// hides reports whether n is a file whose deletion is pending: listed, and nothing else.
func (c *Client) hides(n *node) bool {
	return n != nil && n.hiding != nil && n.hiding.by == nil && pends(c)
}

// hideAs gives an open file a name that keeps it.
func (c *Client) hideAs(dir *node, name string, n *node, now time.Time) error {
	c.hidden++
	as := fmt.Sprintf(".nfs%016x%08x", n.ino, c.hidden)
	dir.set(name, nil)
	dir.set(as, n)
	dir.mtime = c.stamp(now)
	n.hiding = &hiding{dir: dir, name: as, by: c}
	return nil
}
