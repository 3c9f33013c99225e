package memfs

import (
	"io/fs"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// Resolve makes the path absolute; there are no links.
func (c *Client) Resolve(p string) (string, error) {
	trimmed := strings.TrimRight(p, "/")
	last := trimmed[strings.LastIndex(trimmed, "/")+1:]
	if last == "" || last == "." || last == ".." || strings.ContainsRune(p, 0) {
		return "", &fs.PathError{Op: "resolve", Path: p, Err: fs.ErrInvalid}
	}
	p = path.Clean("/" + p)
	err := c.do("resolve", path.Dir(p), func() error {
		_, _, err := c.parent(p)
		return err
	})
	return p, err
}

// Mkdir is [fsys.FS.Mkdir].
func (c *Client) Mkdir(p string, mode fs.FileMode) error {
	return c.do("mkdir", p, func() error {
		dir, name, err := c.parent(p)
		if err != nil {
			return err
		}
		return c.add(dir, name, c.node(fsys.KindDir, mode))
	})
}

// Rmdir is [fsys.FS.Rmdir].
func (c *Client) Rmdir(p string) error { return c.remove("rmdir", p, true) }

// Unlink is [fsys.FS.Unlink].
func (c *Client) Unlink(p string) error { return c.remove("unlink", p, false) }

func (c *Client) remove(op, p string, isDir bool) error {
	return c.do(op, p, func() error {
		dir, name, err := c.parent(p)
		if err != nil {
			return err
		}
		return c.drop(dir, name, isDir)
	})
}

// Rename moves an entry as an outsider might; nothing may be at the new place.
func (c *Client) Rename(from, to string) error {
	return c.do("rename", from, func() error {
		dir, name, err := c.parent(from)
		if err != nil {
			return err
		}
		other, as, err := c.parent(to)
		if err != nil {
			return err
		}
		n := dir.entries[name]
		if n == nil {
			return syscall.ENOENT
		}
		if err := c.add(other, as, n); err != nil {
			return err
		}
		delete(dir.entries, name)
		return nil
	})
}

// OpenDir is [fsys.FS.OpenDir].
func (c *Client) OpenDir(p string) (fsys.Dir, error) {
	d := &dir{c: c, path: p}
	err := c.do("open", p, func() (err error) {
		if d.n, err = c.find(p); err == nil && d.n.kind != fsys.KindDir {
			err = syscall.ENOTDIR
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Stat is [fsys.FS.Stat].
func (c *Client) Stat(p string) (info fsys.Info, err error) {
	err = c.do("stat", p, func() error {
		n, err := c.find(p)
		if err == nil {
			info = n.info()
		}
		return err
	})
	return info, err
}

// Touch is [fsys.FS.Touch].
func (c *Client) Touch(p string) error { return c.setMtime("touch", p, c.stamp) }

// SetMtime is [fsys.FS.SetMtime].
func (c *Client) SetMtime(p string, t time.Time) error {
	return c.setMtime("setmtime", p, func() time.Time { return t.Round(0) })
}

func (c *Client) setMtime(op, p string, t func() time.Time) error {
	return c.do(op, p, func() error {
		n, err := c.find(p)
		if err == nil {
			n.mtime = t()
		}
		return err
	})
}

// Create is [fsys.FS.Create].
func (c *Client) Create(p string, data []byte, mode fs.FileMode) error {
	return c.do("create", p, func() error {
		dir, name, err := c.parent(p)
		if err != nil {
			return err
		}
		return c.put(dir, name, data, mode)
	})
}

func (c *Client) put(dir *node, name string, data []byte, mode fs.FileMode) error {
	n := c.node(fsys.KindRegular, mode)
	n.data = append([]byte(nil), data...)
	return c.add(dir, name, n)
}

// Traits is [fsys.FS.Traits].
func (c *Client) Traits(p string) (fsys.Traits, error) {
	_, err := c.Stat(p)
	return c.Kind, err
}

// Mount is [fsys.FS.Mount].
func (c *Client) Mount(string) string { return c.Kind.Type }

// Clock is [fsys.FS.Clock].
func (c *Client) Clock(aux string, t fsys.Traits) (time.Time, error) {
	if !t.Local {
		return fsys.ProbeClock(c, aux)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now(), nil
}
