package memfs

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A guard is a lock on a file that somebody has open. On all mounts but local ones locks keep nobody out: what servers make of them is as
// manifold as it is unreliable.
type guard struct {
	c      *Client
	n      *node
	path   string
	alone  bool // it is Guard's, else Probe's
	closed bool
}

func (d *dir) Guard(name string) (io.Closer, error) { return d.lock("guard", name, true) }

func (d *dir) Probe(name string) (io.Closer, error) { return d.lock("probe", name, false) }

func (d *dir) lock(op, name string, alone bool) (io.Closer, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	err := d.usable()
	if err != nil {
		return nil, d.about(op, name, err)
	}
	n, _, err := d.c.lookup(d.n, name, toOpen, d.c.moment())
	switch {
	case err != nil:
	case n.kind != fsys.KindRegular && !alone:
		err = fsys.ErrNotRegular
	case d.c.keptOut(n, alone):
		err = syscall.EAGAIN
	default:
		g := &guard{c: d.c, n: n, path: path.Join(d.path, name), alone: alone}
		n.guards = append(n.guards, g)
		n.handles++
		return g, nil
	}
	return nil, d.about(op, name, err)
}

// keptOut reports whether somebody has a lock on n that this client respects, whether it wants it alone or beside others.
func (c *Client) keptOut(n *node, alone bool) bool {
	return c.plain && slices.ContainsFunc(n.guards, func(g *guard) bool {
		return g.c.plain && g.c.Kernel == c.Kernel && (g.alone || alone)
	})
}

func (g *guard) Close() error {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	if g.closed {
		return about("close", g.path, fs.ErrClosed)
	}
	g.closed = true
	g.n.guards = slices.DeleteFunc(g.n.guards, func(o *guard) bool { return o == g })
	g.n.handles--
	g.c.letGo(g.n)
	return nil
}

// Guarded reports whether anybody has the lock on the file at a path to himself.
func (s *Server) Guarded(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.at(path)
	return n != nil && slices.ContainsFunc(n.guards, func(g *guard) bool { return g.alone })
}
