package memfs

import (
	"io/fs"
	"path"
	"slices"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// about is the error of a call for an entry, or for the directory itself.
func (d *dir) about(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return about(op, path.Join(d.path, name), err)
}

func (d *dir) Create(name string, data []byte, mode fs.FileMode) error {
	d.c.enter()
	defer d.c.mu.Unlock()
	n, err := d.target()
	if err == nil {
		err = d.c.make(n, name, path.Join(d.path, name), fsys.KindRegular, data, mode, clock())
	}
	return d.about("create", name, err)
}

func (d *dir) Unlink(name string) error {
	d.c.enter()
	defer d.c.mu.Unlock()
	n, err := d.target()
	if err == nil {
		err = d.c.remove(n, name, false, clock())
	}
	return d.about("unlink", name, err)
}

func (d *dir) List() ([]fsys.Entry, error) {
	d.c.enter()
	defer d.c.mu.Unlock()
	n, err := d.toList()
	if err != nil {
		return nil, d.about("list", "", err)
	}
	d.c.delegateDir(n)
	if d.c.b.ListAge <= 0 {
		if !d.c.plain {
			d.c.renewed(n)
		}
		return n.list(nil), nil
	}
	v, now := d.c.makeView(n), d.c.moment()
	if !v.listed || !v.listOf.Equal(n.mtime) || now.Sub(v.listedAt) >= d.c.b.ListAge {
		v.list = n.list(v.list[:0])
		v.listed, v.listOf, v.listedAt = true, n.mtime, now
		d.c.renewed(n)
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
	d.c.enter()
	defer d.c.mu.Unlock()
	dir, err := d.target()
	if err != nil {
		return fsys.Info{}, d.about("stat", name, err)
	}
	now := d.c.moment()
	n, m, err := d.c.lookup(dir, name, toStat, now)
	if err != nil {
		d.c.seenGone(path.Join(d.path, name))
		return fsys.Info{}, d.about("stat", name, err)
	}
	return d.c.see(n, m, now), nil
}

// CachedStat is [Client.CachedStat] of an entry.
func (d *dir) CachedStat(name string) (fsys.Info, error) {
	d.c.enter()
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
	d.c.enter()
	defer d.c.mu.Unlock()
	data, err := d.read(name, limit)
	return data, d.about("read", name, err)
}

func (d *dir) read(name string, limit int) ([]byte, error) {
	dir, err := d.target()
	if err != nil {
		return nil, err
	}
	now := d.c.moment()
	n, _, err := d.c.lookup(dir, name, toOpen, now)
	switch {
	case err != nil:
		return nil, err
	case n.kind != fsys.KindRegular:
		return nil, fsys.ErrNotRegular
	}
	d.c.delegateRead(n, now)
	if d.c.b.LingerAge > 0 {
		d.c.keepOpen(n, "", now)
	}
	if len(n.data) > limit {
		return slices.Clone(n.data[:max(limit, 0)]), fsys.ErrTooLong
	}
	return slices.Clone(n.data), nil
}

func (d *dir) Grant(mode fs.FileMode) error {
	d.c.enter()
	defer d.c.mu.Unlock()
	n, err := d.itself()
	if err == nil {
		n.mode = mode | n.mode&^fs.ModePerm
	}
	return d.about("chmod", "", err)
}

func (d *dir) Info() (fsys.Info, error) {
	d.c.enter()
	defer d.c.mu.Unlock()
	n, err := d.forced()
	if err != nil {
		return fsys.Info{}, d.about("info", "", err)
	}
	return d.c.see(n, nil, d.c.moment()), nil
}

func (d *dir) Traits() (fsys.Traits, error) {
	d.c.enter()
	defer d.c.mu.Unlock()
	_, err := d.itself()
	return d.c.Kind, d.about("traits", "", err)
}

func (d *dir) Close() error {
	d.c.enter()
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
