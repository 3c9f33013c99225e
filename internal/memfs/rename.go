package memfs

import (
	"slices"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// Renamer is what only a broken lock asks for.
type Renamer interface {
	// RenameOver is rename(2): it silently replaces a file, or an empty directory.
	RenameOver(from, to string) error
}

var _ Renamer = (*Client)(nil)

// Rename moves a file or a directory as an outsider might; nothing may be at the new place.
func (c *Client) Rename(from, to string) error {
	return about("rename", from, c.rename(from, to, false))
}

// RenameOver moves a file or a directory as rename(2) does: onto a file, or onto an empty directory, which is then gone.
func (c *Client) RenameOver(from, to string) error {
	return about("rename", from, c.rename(from, to, true))
}

func (c *Client) rename(from, to string, over bool) error {
	c.enter()
	defer c.mu.Unlock()
	now := clock()
	dir, name, err := c.parent(from, toPass, now)
	if err != nil {
		return err
	}
	other, as, err := c.parent(to, toPass, now)
	if err != nil {
		return err
	}
	if name == "" || as == "" {
		return syscall.EBUSY
	}
	n, err := dir.child(name)
	if err != nil {
		return err
	}
	if err := other.takes(as); err != nil {
		return err
	}
	c.letLinger(n, now)
	if err := c.makeRoom(n, other, as, over, now); err != nil || other.get(as) == n {
		return err
	}
	for _, changed := range []*node{dir, other, n} {
		c.takeBack(changed, now)
	}
	dir.set(name, nil)
	other.set(as, n)
	n.movedBy = c
	dir.mtime = c.stamp(now)
	other.mtime = dir.mtime
	if !c.plain {
		c.changed(dir)
		c.changed(other)
		c.lost(dir, name, now)
		c.remember(other, as, n, now)
	}
	return nil
}

// makeRoom sees to it that n can become an entry of dir.
func (c *Client) makeRoom(n, dir *node, as string, over bool, now time.Time) error {
	old := dir.get(as)
	if old != nil {
		c.letLinger(old, now)
	}
	switch {
	case n.contains(dir):
		return syscall.EINVAL
	case c.hides(n):
		return syscall.ENOENT
	case old == nil || old == n && over:
		return nil
	case !over:
		return syscall.EEXIST
	case c.hides(old) || !c.b.NoPending && old.isOpenBy(pends):
		return syscall.EACCES
	}
	if err := removable(old, n.kind == fsys.KindDir); err != nil {
		return err
	}
	return c.dispose(dir, as, old, now)
}

// contains reports whether d is n or below it.
func (n *node) contains(d *node) bool {
	return n == d || slices.ContainsFunc(n.entries, func(e entry) bool { return e.n.kind == fsys.KindDir && e.n.contains(d) })
}
