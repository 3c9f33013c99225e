package memfs

import (
	"io/fs"
	"path"
	"slices"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// dir is an open directory: the node itself, wherever it is now.
type dir struct {
	c      *Client
	path   string
	n      *node
	closed bool
}

// about is the error of a call for an entry, or for the directory itself.
func (d *dir) about(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return about(op, path.Join(d.path, name), err)
}

// usable says why d cannot be asked for an entry. The caller holds mu.
func (d *dir) usable() error {
	switch {
	case d.closed:
		return fs.ErrClosed
	case d.n.removed:
		return d.c.gone()
	}
	return nil
}

// usableItself is usable for what a local directory answers though it was removed.
func (d *dir) usableItself() error {
	if d.c.plain && !d.closed {
		return nil
	}
	return d.usable()
}

func (d *dir) Create(name string, data []byte, mode fs.FileMode) error {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	err := d.usable()
	if err == nil {
		err = d.c.make(d.n, name, fsys.KindRegular, data, mode, clock())
	}
	return d.about("create", name, err)
}

func (d *dir) Unlink(name string) error {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	err := d.usable()
	if err == nil {
		err = d.c.remove(d.n, name, false, clock())
	}
	return d.about("unlink", name, err)
}

func (d *dir) List() ([]fsys.Entry, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, d.about("list", "", err)
	}
	if d.c.b.ListAge <= 0 {
		if !d.c.plain {
			d.c.renewed(d.n)
		}
		return d.n.list(nil), nil
	}
	v, now := d.c.makeView(d.n), d.c.moment()
	if !v.listed || !v.listOf.Equal(d.n.mtime) || now.Sub(v.listedAt) >= d.c.b.ListAge {
		v.list = d.n.list(v.list[:0])
		v.listed, v.listOf, v.listedAt = true, d.n.mtime, now
		d.c.renewed(d.n)
	}
	return slices.Clone(v.list), nil
}

// list appends the entries, by name.
func (n *node) list(to []fsys.Entry) []fsys.Entry {
	to = slices.Grow(to, len(n.entries))
	for _, e := range n.entries {
		to = append(to, fsys.Entry{Name: e.name, Kind: e.n.kind})
	}
	return to
}

func (d *dir) Stat(name string) (fsys.Info, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	err := d.usable()
	if err != nil {
		return fsys.Info{}, d.about("stat", name, err)
	}
	now := d.c.moment()
	n, m, err := d.c.lookup(d.n, name, toStat, now)
	if err != nil {
		return fsys.Info{}, d.about("stat", name, err)
	}
	return d.c.see(n, m, now), nil
}

// CachedStat is [Client.CachedStat] of an entry.
func (d *dir) CachedStat(name string) (fsys.Info, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if d.closed {
		return fsys.Info{}, d.about("stat", name, fs.ErrClosed)
	}
	info, err := d.c.glance(d.n, name, d.c.moment())
	if err != nil && d.n.removed {
		err = d.c.gone()
	}
	return info, d.about("stat", name, err)
}

func (d *dir) Read(name string, limit int) ([]byte, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	data, err := d.read(name, limit)
	return data, d.about("read", name, err)
}

func (d *dir) read(name string, limit int) ([]byte, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	n, _, err := d.c.lookup(d.n, name, toOpen, d.c.moment())
	switch {
	case err != nil:
		return nil, err
	case n.kind != fsys.KindRegular:
		return nil, fsys.ErrNotRegular
	}
	if len(n.data) > limit {
		return slices.Clone(n.data[:max(limit, 0)]), fsys.ErrTooLong
	}
	return slices.Clone(n.data), nil
}

func (d *dir) Grant(mode fs.FileMode) error {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	err := d.usableItself()
	if err == nil {
		d.n.mode = mode | d.n.mode&^fs.ModePerm
	}
	return d.about("chmod", "", err)
}

func (d *dir) Info() (fsys.Info, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if err := d.usableItself(); err != nil {
		return fsys.Info{}, d.about("info", "", err)
	}
	return d.c.see(d.n, nil, d.c.moment()), nil
}

func (d *dir) Traits() (fsys.Traits, error) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	return d.c.Kind, d.about("traits", "", d.usableItself())
}

func (d *dir) Close() error {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if d.closed {
		return d.about("close", "", fs.ErrClosed)
	}
	d.closed = true
	if d.c.plain {
		d.n.handles--
		d.c.letGo(d.n)
	}
	return nil
}
