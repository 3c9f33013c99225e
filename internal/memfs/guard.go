package memfs

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A Guard is a file that somebody has open for the lock on it. On all mounts but local ones locks keep nobody out: what servers make of them is
// as manifold as it is unreliable.
type Guard struct {
	c      *Client
	n      *node
	path   string
	has    bool // it has the lock,
	alone  bool // for itself
	closed bool
}

// GuardOpener is an open directory whose Guard can be had in the two steps that it takes.
type GuardOpener interface {
	OpenGuard(name string) (*Guard, error)
}

var _ GuardOpener = (*dir)(nil)

func (d *dir) Guard(name string) (io.Closer, error) {
	g, err := d.OpenGuard(name)
	return locked(g, err, true)
}

func (d *dir) Probe(name string) (io.Closer, error) {
	g, err := d.openGuard("probe", name, true)
	return locked(g, err, false)
}

func locked(g *Guard, err error, alone bool) (io.Closer, error) {
	if err == nil {
		err = g.lock(alone)
	}
	if err != nil {
		if g != nil {
			_ = g.Close()
		}
		return nil, err
	}
	return g, nil
}

// OpenGuard opens a file for its guard.
func (d *dir) OpenGuard(name string) (*Guard, error) { return d.openGuard("guard", name, false) }

func (d *dir) openGuard(op, name string, regular bool) (*Guard, error) {
	d.c.enter()
	defer d.c.mu.Unlock()
	at, err := d.target()
	if err != nil {
		return nil, d.about(op, name, err)
	}
	n, _, err := d.c.lookup(at, name, toOpen, d.c.moment())
	if err == nil && regular && n.kind != fsys.KindRegular {
		err = fsys.ErrNotRegular
	}
	if err != nil {
		return nil, d.about(op, name, err)
	}
	g := &Guard{c: d.c, n: n, path: path.Join(d.path, name)}
	n.guards = append(n.guards, g)
	n.handles++
	return g, nil
}

// Lock takes the lock, for itself.
func (g *Guard) Lock() error { return g.lock(true) }

func (g *Guard) lock(alone bool) error {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	switch {
	case g.closed:
		return about("flock", g.path, fs.ErrClosed)
	case g.c.plain && slices.ContainsFunc(g.n.guards, func(o *Guard) bool {
		return o != g && o.has && o.c.plain && o.c.Kernel == g.c.Kernel && (o.alone || alone)
	}):
		return about("flock", g.path, syscall.EAGAIN)
	}
	g.has, g.alone = true, alone
	return nil
}

// Close drops the lock.
func (g *Guard) Close() error {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	if g.closed {
		return about("close", g.path, fs.ErrClosed)
	}
	g.closed = true
	g.n.guards = slices.DeleteFunc(g.n.guards, func(o *Guard) bool { return o == g })
	g.n.handles--
	g.c.letGo(g.n)
	return nil
}

// Guarded reports whether anybody has the lock on the file at a path to himself.
func (s *Server) Guarded(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.at(path)
	return n != nil && slices.ContainsFunc(n.guards, func(g *Guard) bool { return g.has && g.alone })
}
