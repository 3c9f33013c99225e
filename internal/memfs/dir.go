package memfs

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// dir is an open directory: the node itself, wherever it is now.
type dir struct {
	c      *Client
	path   string
	n      *node
	closed bool
}

func (d *dir) do(op, name string, f func() error) error {
	return d.c.do(op, path.Join(d.path, name), func() error {
		if d.closed {
			return fs.ErrClosed
		}
		return f()
	})
}

func (d *dir) Create(name string, data []byte, mode fs.FileMode) error {
	return d.do("create", name, func() error { return d.c.put(d.n, name, data, mode) })
}

func (d *dir) List() (list []fsys.Entry, err error) {
	err = d.do("list", "", func() error {
		for name, n := range d.n.entries {
			list = append(list, fsys.Entry{Name: name, Kind: n.kind})
		}
		slices.SortFunc(list, func(a, b fsys.Entry) int { return strings.Compare(a.Name, b.Name) })
		return nil
	})
	return list, err
}

func (d *dir) Stat(name string) (info fsys.Info, err error) {
	err = d.do("stat", name, func() error {
		if len(name) > 255 {
			return syscall.ENAMETOOLONG
		}
		n := d.n.entries[name]
		if n == nil {
			return syscall.ENOENT
		}
		info = n.info()
		return nil
	})
	return info, err
}

func (d *dir) Unlink(name string) error {
	return d.do("unlink", name, func() error { return d.c.drop(d.n, name, false) })
}

func (d *dir) Read(name string, limit int) (data []byte, err error) {
	err = d.do("read", name, func() error {
		n := d.n.entries[name]
		switch {
		case n == nil:
			return syscall.ENOENT
		case n.kind != fsys.KindRegular:
			return fsys.ErrNotRegular
		}
		data = append([]byte(nil), n.data[:min(len(n.data), limit)]...)
		if len(n.data) > limit {
			return fsys.ErrTooLong
		}
		return nil
	})
	return data, err
}

func (d *dir) Chmod(mode fs.FileMode) error {
	return d.do("chmod", "", func() error {
		d.n.mode = mode
		return nil
	})
}

func (d *dir) Info() (info fsys.Info, err error) {
	err = d.do("info", "", func() error {
		info = d.n.info()
		return nil
	})
	return info, err
}

func (d *dir) Traits() (fsys.Traits, error) {
	err := d.do("traits", "", func() error { return nil })
	return d.c.Kind, err
}

func (d *dir) Close() error {
	return d.do("close", "", func() error {
		d.closed = true
		return nil
	})
}
