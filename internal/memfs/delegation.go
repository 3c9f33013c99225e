package memfs

import (
	"path"
	"slices"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A delegation is a file or a directory that the server has left to a host, until somebody else wants something that goes against it.
type delegation struct {
	c        *Client
	write    bool      // its times are the host's affair as well
	mtime    time.Time // which it has set; zero: it has not
	recalled time.Time // when the server asked for it back, and got no answer; zero: it has not asked
}

// What the server is strict about: a file that was just made, or whose delegation it has just asked back, it does not delegate.
const (
	tooYoung = time.Second
	tooSoon  = 30 * time.Second
)

// delegateRead is what opening a file for reading brings. The caller holds mu.
func (c *Client) delegateRead(n *node, now time.Time) {
	if c.b.DelegationAge > 0 && now.Sub(n.made) >= tooYoung && (n.recalledAt.IsZero() || now.Sub(n.recalledAt) >= tooSoon) {
		c.delegate(n, false)
	}
}

// delegateWrite is what making a file brings, and opening it for writing. The caller holds mu.
func (c *Client) delegateWrite(n *node) {
	if c.b.DelegationAge > 0 && !c.b.NoWriteDelegation {
		c.delegate(n, true)
	}
}

// delegateDir is what looking at a directory brings. The caller holds mu.
func (c *Client) delegateDir(n *node) {
	if c.b.DelegationAge > 0 && !c.b.NoDirDelegation {
		c.delegate(n, false)
	}
}

func (c *Client) delegate(n *node, write bool) {
	if slices.ContainsFunc(n.delegated, func(d *delegation) bool { return d.c == c || d.write || write }) {
		return
	}
	n.delegated = append(n.delegated, &delegation{c: c, write: write})
}

// mine is the delegation of times that the host has, or nil.
func (c *Client) mine(n *node) *delegation {
	for _, d := range n.delegated {
		if d.c == c && d.write {
			return d
		}
	}
	return nil
}

// against reports whether a call of another host's goes against d: to look at the times of a file goes against a delegation of those.
func (d *delegation) against(c *Client, look bool) bool { return d.c != c && (d.write || !look) }

// takeBack has those hosts give n back that a change by this one goes against: they are all there, see [Client.Waits]. The caller holds mu.
func (c *Client) takeBack(n *node, now time.Time) {
	if len(n.delegated) == 0 {
		return
	}
	n.delegated = slices.DeleteFunc(n.delegated, func(d *delegation) bool {
		if !d.against(c, false) {
			return false
		}
		if !d.mtime.IsZero() {
			n.mtime = d.mtime
		}
		n.recalledAt = now
		return true
	})
}

// changes are the calls that change the file or directory itself, and those that change the directory that it is in.
var changes = map[string]struct{ it, dir bool }{
	"touch": {it: true}, "setmtime": {it: true}, "chmod": {it: true},
	"unlink": {true, true}, "rename": {true, true}, "rmdir": {true, true}, "mkdir": {dir: true}, "create": {dir: true},
}

// Waits says for how long the server lets a call wait, if it is sent now, because it waits itself for a host that has got what the call
// goes against: a file that it has opened. That is until there reports that the host can be reached, or the server gives up. The host
// is returned, too. A call is known by its name in the seam: "touch", "unlink", "stat".
func (c *Client) Waits(op, p string, there func(*Client) bool) (left time.Duration, host *Client) {
	c.enter()
	defer c.mu.Unlock()
	change, changes := changes[op]
	if !changes && op != "stat" {
		return 0, nil
	}
	if n := c.at(p); n != nil && (change.it || op == "stat") {
		left, host = c.awaits(n, !changes, there)
		if op == "unlink" || op == "rename" {
			if l, h := c.breaks(n, there); l > left {
				left, host = l, h
			}
		}
	}
	if dir := c.at(path.Dir(p)); dir != nil && change.dir {
		if l, h := c.awaits(dir, false, there); l > left {
			left, host = l, h
		}
	}
	return left, host
}

// awaits is Waits for what was delegated.
func (c *Client) awaits(n *node, look bool, there func(*Client) bool) (left time.Duration, host *Client) {
	now := clock()
	n.delegated = slices.DeleteFunc(n.delegated, func(d *delegation) bool {
		if !d.against(c, look) || there(d.c) {
			return false
		}
		if d.recalled.IsZero() {
			d.recalled = now
		}
		l := d.c.b.DelegationAge - now.Sub(d.recalled)
		if l > left {
			left, host = l, d.c
		}
		return l <= 0
	})
	return left, host
}

// breaks is Waits for what is open at the server.
func (c *Client) breaks(n *node, there func(*Client) bool) (left time.Duration, host *Client) {
	if n.kind != fsys.KindRegular {
		return 0, nil
	}
	now := clock()
	for _, f := range slices.Clone(n.opened) {
		if f.c == c || !pends(f.c) || there(f.c) {
			continue
		}
		if f.broken.IsZero() {
			f.broken = now
		}
		switch l := f.c.b.BreakAge - now.Sub(f.broken); {
		case l > left:
			left, host = l, f.c
		case l <= 0: // the server closes it
			c.linger = slices.DeleteFunc(c.linger, func(o *OpenFile) bool { return o == f })
			c.closed(f, now)
		}
	}
	return left, host
}
