package memfs

import (
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// make is mkdir and create, of what the caller calls path, in a directory that is not removed. The caller holds mu.
func (c *Client) make(dir *node, name, path string, kind fsys.Kind, data []byte, mode fs.FileMode, now time.Time) error {
	if err := dir.takes(name); err != nil {
		return err
	}
	old := dir.get(name)
	if !c.plain {
		if c.hides(old) && !old.ending {
			return syscall.EACCES
		}
		if c.trusts(c.recall(dir, name), now) {
			return syscall.EEXIST // from memory
		}
	}
	if old != nil {
		if !c.plain && !c.hides(old) {
			c.remember(dir, name, old, now)
		}
		return syscall.EEXIST
	}
	c.takeBack(dir, now)
	n := c.node(kind, mode, now)
	if len(data) > 0 {
		n.data = slices.Clone(data)
	}
	dir.set(name, n)
	dir.mtime = n.mtime
	if c.plain {
		return nil
	}
	if kind == fsys.KindRegular && c.b.ShowAge > 0 {
		n.shown = &shown{c.own(now), now.Add(c.b.ShowAge)}
	}
	if kind == fsys.KindRegular && c.b.LingerAge > 0 {
		c.keepOpen(n, path, now)
	}
	c.changed(dir)
	c.remember(dir, name, n, now).fetch(c.info(n), now, &c.b)
	return nil
}

// remove is unlink and rmdir in a directory that is not removed. The caller holds mu.
func (c *Client) remove(dir *node, name string, isDir bool, now time.Time) error {
	n, err := dir.child(name)
	if err != nil && err != syscall.ENOENT {
		return err
	}
	if !c.plain {
		if c.misses(c.recall(dir, name), toChange, now) || c.hides(n) {
			return syscall.ENOENT
		}
		if err != nil {
			c.lost(dir, name, now)
		}
	}
	if err != nil {
		return err
	}
	if err := removable(n, isDir); err != nil {
		return err
	}
	if err := c.dispose(dir, name, n, now); err != nil || c.plain {
		return err
	}
	c.changed(dir)
	c.lost(dir, name, now)
	return nil
}

// dispose takes an entry out of a directory, or hides it where somebody has it open.
func (c *Client) dispose(dir *node, name string, n *node, now time.Time) error {
	c.takeBack(dir, now)
	c.takeBack(n, now)
	if n.kind == fsys.KindDir {
		n.removedBy = c
	} else {
		c.letLinger(n, now)
	}
	switch {
	case len(n.opened) == 0:
	case n.kind == fsys.KindRegular && !c.b.NoSilly && n.isOpenBy(func(o *Client) bool { return o == c }):
		if n.hiding != nil {
			return syscall.EBUSY // the .nfs file itself
		}
		return c.hideAs(dir, name, n, now)
	case !c.b.NoPending && n.isOpenBy(pends):
		n.hiding = &hiding{dir: dir, name: name}
		n.ending = n.kind == fsys.KindDir
		return nil
	}
	c.drop(dir, name, n, now)
	return nil
}

// gone is what is said of a directory that was removed.
func (c *Client) gone() error {
	if c.b.GoneIsENOENT {
		return syscall.ENOENT
	}
	return syscall.ESTALE
}
