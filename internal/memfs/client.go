package memfs

import (
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// about makes an error one of the seam's.
func about(op, p string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: p, Err: err}
}

// Resolve makes the path absolute; there are no links.
func (c *Client) Resolve(p string) (string, error) {
	trimmed := strings.TrimRight(p, "/")
	last := trimmed[strings.LastIndex(trimmed, "/")+1:]
	if last == "" || last == "." || last == ".." || strings.ContainsRune(p, 0) {
		return "", about("resolve", p, fs.ErrInvalid)
	}
	p = path.Clean("/" + p)
	c.enter()
	defer c.mu.Unlock()
	_, _, err := c.parent(p, toPass, c.moment())
	return p, about("resolve", path.Dir(p), err)
}

// Mkdir is [fsys.FS.Mkdir].
func (c *Client) Mkdir(p string, mode fs.FileMode) error {
	return about("mkdir", p, c.makeAt(p, fsys.KindDir, nil, mode))
}

// Create is [fsys.FS.Create]. By it, and not by that of an open directory, a file may be left to the host with its times.
func (c *Client) Create(p string, data []byte, mode fs.FileMode) error {
	return about("create", p, c.makeAt(p, fsys.KindRegular, data, mode))
}

func (c *Client) makeAt(p string, kind fsys.Kind, data []byte, mode fs.FileMode) error {
	c.enter()
	defer c.mu.Unlock()
	now := clock()
	dir, name, err := c.parent(p, toPass, now)
	if err != nil {
		return err
	}
	if name == "" {
		return syscall.EEXIST
	}
	if err = c.make(dir, name, p, kind, data, mode, now); err == nil && kind == fsys.KindRegular {
		c.delegateWrite(dir.get(name))
	}
	return err
}

// Rmdir is [fsys.FS.Rmdir].
func (c *Client) Rmdir(p string) error { return about("rmdir", p, c.removeAt(p, true)) }

// Unlink is [fsys.FS.Unlink].
func (c *Client) Unlink(p string) error { return about("unlink", p, c.removeAt(p, false)) }

func (c *Client) removeAt(p string, isDir bool) error {
	c.enter()
	defer c.mu.Unlock()
	now := clock()
	dir, name, err := c.parent(p, toPass, now)
	if err != nil {
		return err
	}
	if name == "" {
		return syscall.EBUSY
	}
	return c.remove(dir, name, isDir, now)
}

// OpenDir is [fsys.FS.OpenDir].
func (c *Client) OpenDir(p string) (fsys.Dir, error) {
	c.enter()
	defer c.mu.Unlock()
	d, err := c.open(p, c.moment())
	if err != nil {
		return nil, about("open", p, err)
	}
	return d, nil
}

func (c *Client) open(p string, now time.Time) (*dir, error) {
	up, name, err := c.parent(p, toOpen, now)
	if err != nil {
		return nil, err
	}
	d := &dir{c: c, path: p, n: c.root, up: up, name: name}
	if name != "" && !c.plain {
		if m := c.recall(up, name); c.trusts(m, now) && m.n.kind == fsys.KindDir { // without a word to the server
			d.n = m.n
			return d, nil
		}
	}
	if name != "" {
		if d.n, _, err = c.lookup(up, name, toOpen, now); err != nil {
			return nil, err
		}
	}
	if d.n.kind != fsys.KindDir {
		return nil, syscall.ENOTDIR
	}
	if c.plain { // a server does not know who has its directories open
		d.n.handles++
	}
	return d, nil
}

// Stat is [fsys.FS.Stat].
func (c *Client) Stat(p string) (fsys.Info, error) {
	c.enter()
	defer c.mu.Unlock()
	now := c.moment()
	n, m, err := c.find(p, toStat, now)
	if err != nil {
		c.seenGone(p)
		return fsys.Info{}, about("stat", p, err)
	}
	return c.see(n, m, now), nil
}

// Touch is [fsys.FS.Touch].
func (c *Client) Touch(p string) error { return c.TouchDated(p, c.Date()) }

// TouchDated is Touch as it was sent when it was that date here: where beats carry the host's clock it is what they carry, however late they come.
func (c *Client) TouchDated(p string, date time.Time) error {
	return about("touch", p, c.setMtime(p, nil, date))
}

// Date is the host's date now.
func (c *Client) Date() time.Time { return c.own(clock()) }

// SetMtime is [fsys.FS.SetMtime].
func (c *Client) SetMtime(p string, t time.Time) error {
	return about("setmtime", p, c.setMtime(p, &t, time.Time{}))
}

func (c *Client) setMtime(p string, t *time.Time, date time.Time) error {
	c.enter()
	defer c.mu.Unlock()
	now := clock()
	n, m, err := c.lingering(p), (*memory)(nil), error(nil)
	if n == nil {
		n, m, err = c.find(p, toTouch, now)
	}
	if err != nil {
		return err
	}
	c.takeBack(n, now)
	switch d := c.mine(n); {
	case d != nil && t != nil:
		d.mtime = t.Round(0)
	case d != nil: // nobody hears of it before they ask, and it is by this host's clock
		d.mtime = date
	case t != nil:
		n.mtime = t.Round(0).Truncate(c.b.Grain)
	default:
		n.mtime = c.beat(now, date)
	}
	n.shown = nil
	if m != nil {
		m.fetch(c.info(n), now, &c.b)
	}
	return nil
}

// Traits is [fsys.FS.Traits].
func (c *Client) Traits(p string) (fsys.Traits, error) {
	c.enter()
	defer c.mu.Unlock()
	_, _, err := c.find(p, toPass, c.moment())
	return c.Kind, about("traits", p, err)
}

// Mount is [fsys.FS.Mount].
func (c *Client) Mount(string) string { return c.Kind.Type }

// Mounts says that it is not known whether others are mounted.
func (c *Client) Mounts() uint64 { return 0 }

// Near is for who cannot hang; a simulation makes everybody.
func (c *Client) Near(string) (string, bool, bool) { return "", false, false }

// Clock is [fsys.FS.Clock].
func (c *Client) Clock(aux string, t fsys.Traits) (time.Time, error) {
	if !t.Local {
		return fsys.ProbeClock(c, aux)
	}
	c.enter()
	defer c.mu.Unlock()
	return c.stamp(clock()), nil
}
