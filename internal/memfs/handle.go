package memfs

import (
	"io/fs"
	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// dir is an open directory: the node itself, wherever it is now, or a path, where that is how the mount knows it.
type dir struct {
	c      *Client
	path   string
	n      *node
	up     *node  // where it was opened
	name   string // there; "": the root
	listed bool
	closed bool
}

// target is where entries are looked for. The caller holds mu.
func (d *dir) target() (*node, error) {
	n := d.n
	if !d.c.b.OpenIsNode && d.name != "" && !(n.movedBy == d.c && !n.removed) { // of its own changes a host knows
		if n.removedBy == d.c {
			return nil, d.c.gone()
		}
		n = d.up.get(d.name)
	}
	switch {
	case d.closed:
		return nil, fs.ErrClosed
	case n == nil, n.kind != fsys.KindDir, n.removed:
		return nil, d.c.gone()
	}
	return n, nil
}

// itself is target for what is asked of the directory. A local one answers though it was removed.
func (d *dir) itself() (*node, error) {
	if d.c.plain && !d.closed {
		return d.n, nil
	}
	n, err := d.target()
	if err == nil && d.c.hides(n) {
		return nil, d.c.gone()
	}
	return n, err
}

// forced is itself, asked of the server by force: what has taken the directory's place is another one.
func (d *dir) forced() (*node, error) {
	n, err := d.itself()
	if d.c.b.OpenIsNode || d.closed {
		return n, err
	}
	switch {
	case err != nil:
		d.c.forget(d.up, d.name)
	case n.ino != d.n.ino:
		return nil, syscall.ESTALE
	case d.name != "" && d.up.get(d.name) == n:
		d.c.remember(d.up, d.name, n, clock())
	}
	return n, err
}

// toList is itself, and from the second listing on forced: as the seam does. It closes what it opens at the server before it returns.
func (d *dir) toList() (*node, error) {
	switch {
	case d.c.plain:
		return d.target()
	case d.listed:
		return d.forced()
	}
	n, err := d.itself()
	d.listed = err == nil
	return n, err
}
