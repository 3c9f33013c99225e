package memfs

import (
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// An OpenFile is a file, or a directory that is being listed, that somebody on the client's host has open: a backup, a virus scanner, an editor.
type OpenFile struct {
	c      *Client
	n      *node
	path   string
	closed bool
	until  time.Time // when a host closes by itself what it has just made, or read; zero: somebody has it open
	broken time.Time // when the server first asked for it, in vain
}

// hiding says where an open file is that was unlinked.
type hiding struct {
	dir  *node
	name string
	by   *Client // whose .nfs file it is; nil: its deletion is pending
}

// Open opens a regular file; or a directory, as who lists it.
func (c *Client) Open(p string) (*OpenFile, error) {
	c.enter()
	defer c.mu.Unlock()
	n, _, err := c.find(p, toOpen, c.moment())
	if err != nil {
		return nil, about("open", p, err)
	}
	c.delegateRead(n, clock())
	f := &OpenFile{c: c, n: n, path: p}
	n.opened = append(n.opened, f)
	n.handles++
	return f, nil
}

// Close closes the file, and ends it if it was unlinked and nobody else keeps it. A second call is [fs.ErrClosed].
func (f *OpenFile) Close() error {
	s := f.c.Server
	s.enter()
	defer s.mu.Unlock()
	if f.closed {
		return about("close", f.path, fs.ErrClosed)
	}
	s.closed(f, clock())
	return nil
}

// closed ends what keeps a file open, and the file if it was unlinked and nobody else keeps it. The caller holds mu.
func (s *Server) closed(f *OpenFile, at time.Time) {
	n := f.n
	f.closed = true
	n.opened = slices.DeleteFunc(n.opened, func(o *OpenFile) bool { return o == f })
	n.handles--
	if n.removed {
		s.letGo(n)
		return
	}
	h := n.hiding
	if h == nil || n.isOpenBy(func(o *Client) bool { return o == h.by || h.by == nil && pends(o) }) {
		return
	}
	n.hiding = nil
	if n.ending {
		n.ending = false
		if len(n.entries) > 0 { // so it cannot be removed
			n.removedBy = nil
			return
		}
	}
	if h.dir.get(h.name) == n { // else somebody renamed it
		s.drop(h.dir, h.name, n, at)
		f.c.changed(h.dir)
	}
}

func (n *node) isOpenBy(is func(*Client) bool) bool {
	return slices.ContainsFunc(n.opened, func(f *OpenFile) bool { return is(f.c) })
}

// pends reports whether the server keeps what this client has open.
func pends(c *Client) bool { return !c.b.NoPending }

// hides reports whether n is a file or a directory whose deletion is pending: listed, and nothing else.
func (c *Client) hides(n *node) bool {
	return n != nil && pends(c) && (n.ending || n.hiding != nil && n.hiding.by == nil)
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
