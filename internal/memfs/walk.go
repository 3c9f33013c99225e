package memfs

import (
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A purpose is what a name is looked up for. mkdir, create, unlink and rmdir ask the server, and look only the way to it up.
type purpose uint8

const (
	toPass   purpose = iota // to go on to an entry of it
	toReach                 // to go on to the times of an entry, or to touch it
	toOpen                  // to open it
	toStat                  // by force
	toTouch                 // to set its times
	toChange                // to remove it
	toGlance                // to stat it without force
)

// moment is the time of a call, for what it remembers. A client that remembers nothing does not ask.
func (c *Client) moment() time.Time {
	if c.plain {
		return time.Time{}
	}
	return clock()
}

// parent finds the directory that p, which is absolute, is an entry of, and what it is called there: "" is the root. The
// caller holds mu.
func (c *Client) parent(p string, why purpose, now time.Time) (*node, string, error) {
	if strings.Contains(p, "/.") {
		p = path.Clean(p)
	}
	switch why {
	case toGlance:
	case toStat, toTouch:
		why = toReach
	default:
		why = toPass
	}
	n, rest := c.root, strings.TrimLeft(p, "/")
	for {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return n, rest, nil
		}
		name := rest[:i]
		rest = strings.TrimLeft(rest[i:], "/")
		if rest == "" {
			return n, name, nil
		}
		next, _, err := c.lookup(n, name, why, now)
		if err != nil {
			return nil, "", err
		}
		if next.kind != fsys.KindDir {
			return nil, "", syscall.ENOTDIR
		}
		n = next
	}
}

// find looks p up. The memory is nil for the root and where nothing is remembered.
func (c *Client) find(p string, why purpose, now time.Time) (*node, *memory, error) {
	dir, name, err := c.parent(p, why, now)
	if err != nil {
		return nil, nil, err
	}
	if name == "" {
		return c.root, nil, nil
	}
	n, m, err := c.lookup(dir, name, why, now)
	if err == syscall.ENOENT && dir.removed && !c.plain { // its handle is stale: so the way to it is looked up again
		if dir, name, err = c.parent(p, toPass, now); err == nil {
			n, m, err = c.lookup(dir, name, why, now)
		}
	}
	return n, m, err
}

// lookup returns what the client takes a name in dir for: by its memory where its mount believes that, else by the server.
func (c *Client) lookup(dir *node, name string, why purpose, now time.Time) (*node, *memory, error) {
	if c.plain {
		n, err := dir.child(name)
		return n, nil, err
	}
	if err := dir.takes(name); err != nil {
		return nil, nil, err
	}
	m := c.recall(dir, name)
	if c.misses(m, why, now) {
		return nil, nil, syscall.ENOENT
	}
	if why == toGlance && m != nil && now.Sub(m.at) < c.b.firstAge(fsys.KindDir) {
		return m.n, m, nil
	}
	n := dir.get(name)
	passing := why == toPass || why == toReach
	if c.hides(n) && !(n.ending && passing) {
		n = nil
	}
	if m != nil && m.n != nil && m.n != n {
		if old, keep := c.outdated(dir, m, why, now); old != nil {
			if !keep {
				m = nil
			}
			return old, m, nil
		}
	}
	switch {
	case passing && c.trusts(m, now): // the server is told a path, and not asked for each part of it
		if n == nil {
			return nil, nil, syscall.ENOENT
		}
		return n, m, nil
	case n == nil:
		c.lost(dir, name, now)
		return nil, nil, syscall.ENOENT
	}
	return n, c.remember(dir, name, n, now), nil
}

// outdated returns what m stands for, although that has another name by now or none, if the client still goes by it. keep is
// false if m is no more.
func (c *Client) outdated(dir *node, m *memory, why purpose, now time.Time) (old *node, keep bool) {
	n := m.n
	switch {
	case !n.removed && !c.hides(n): // it has another name
		if now.Sub(m.at) < c.b.PathAge && !(why == toOpen && n.kind == fsys.KindRegular) {
			return n, true
		}
	case n.kind == fsys.KindDir:
		if n.removed && why == toReach && now.Sub(m.at) < c.b.PathAge {
			return n, true
		}
	case why == toTouch && c.answersOnce(n):
		c.forget(dir, m.name)
		return n, false
	case why == toStat && n.removed && c.answersOnce(n) && now.Sub(n.removedAt) < c.b.GoneAge:
		return n, true
	}
	return nil, true
}

// answersOnce reports whether the server still answers for a file that another host has removed.
func (c *Client) answersOnce(n *node) bool {
	if !n.removed { // it is pending
		return c.b.LastAge == forever
	}
	return n.removedAt.Sub(n.made) < c.b.LastAge
}

// trusts reports whether a name is taken to be there by memory.
func (c *Client) trusts(m *memory, now time.Time) bool {
	return m != nil && m.n != nil && now.Sub(m.at) < c.b.ExistAge
}
