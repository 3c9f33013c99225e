package memfs

import (
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// CachedStater is what only a broken lock asks for.
type CachedStater interface {
	// CachedStat is stat(2) as programs use it: what the client remembers, if that is young enough.
	CachedStat(path string) (fsys.Info, error)
}

var (
	_ CachedStater = (*Client)(nil)
	_ CachedStater = (*dir)(nil)
)

// CachedStat is a stat without a forced sync. It may say for up to a minute what was so when this client last asked.
func (c *Client) CachedStat(p string) (fsys.Info, error) {
	c.enter()
	defer c.mu.Unlock()
	now := c.moment()
	dir, name, err := c.parent(p, toGlance, now)
	if err != nil {
		return fsys.Info{}, about("stat", p, err)
	}
	if name == "" {
		return c.info(c.root), nil
	}
	info, err := c.glance(dir, name, now)
	return info, about("stat", p, err)
}

func (c *Client) glance(dir *node, name string, now time.Time) (fsys.Info, error) {
	if m := c.recall(dir, name); m != nil && m.n != nil && now.Sub(m.fetched) < m.age {
		return m.info, nil
	}
	n, m, err := c.lookup(dir, name, toStat, now)
	if err != nil {
		return fsys.Info{}, err
	}
	return c.see(n, m, now), nil
}

// see is what the server says of n; m, if there is one, remembers it.
func (c *Client) see(n *node, m *memory, now time.Time) fsys.Info {
	info := c.info(n)
	if m != nil {
		m.fetch(info, now, &c.b)
	}
	if !c.plain && n.kind == fsys.KindDir {
		c.delegateDir(n)
		if c.b.StatRenews {
			c.renewed(n)
		}
	}
	return info
}

// info is n as this client is shown it.
func (c *Client) info(n *node) fsys.Info {
	info := fsys.Info{Kind: n.kind, Mode: n.mode, Size: int64(len(n.data)), Mtime: n.mtime, Nlink: 1, Dev: c.Kind.Dev, Ino: n.ino}
	if n.removed {
		info.Nlink = 0
	}
	if n.shown != nil && c.b.ShowAge > 0 && clock().Before(n.shown.until) {
		info.Mtime = n.shown.mtime
	}
	if d := c.mine(n); d != nil && !d.mtime.IsZero() {
		info.Mtime = d.mtime
	}
	info.Mtime = info.Mtime.Truncate(c.b.Grain)
	return info
}
