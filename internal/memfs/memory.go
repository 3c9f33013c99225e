package memfs

import (
	"slices"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A view is what one host remembers of one directory.
type view struct {
	c     *Client
	names []memory // by name
	purge int      // how many names are too many

	listed   bool
	list     []fsys.Entry
	listOf   time.Time // the directory's mtime when it was listed
	listedAt time.Time
}

// A memory is what one host takes a name for.
type memory struct {
	name string
	n    *node     // nil: it was missing
	at   time.Time // when the server last said so

	info    fsys.Info // what a plain stat says until age has passed since fetched
	fetched time.Time
	age     time.Duration
	since   time.Time // when age was set
}

// search returns where name is among the memories, or belongs. See [node.search].
func (v *view) search(name string) (i int, found bool) {
	for j := len(v.names); i < j; {
		h := int(uint(i+j) >> 1)
		if v.names[h].name < name {
			i = h + 1
		} else {
			j = h
		}
	}
	return i, i < len(v.names) && v.names[i].name == name
}

func (c *Client) view(dir *node) *view {
	for _, v := range dir.views {
		if v.c == c {
			return v
		}
	}
	return nil
}

func (c *Client) makeView(dir *node) *view {
	v := c.view(dir)
	if v == nil {
		v = &view{c: c, purge: 64}
		dir.views = append(dir.views, v)
	}
	return v
}

// recall returns what is remembered of a name, or nil. It is good until the next call of remember or forget.
func (c *Client) recall(dir *node, name string) *memory {
	v := c.view(dir)
	if v == nil {
		return nil
	}
	i, found := v.search(name)
	if !found {
		return nil
	}
	return &v.names[i]
}

// remember notes that the server has just said what name is.
func (c *Client) remember(dir *node, name string, n *node, now time.Time) *memory {
	v := c.makeView(dir)
	i, found := v.search(name)
	if !found {
		if len(v.names) >= v.purge {
			v.clean(dir, now)
			i, _ = v.search(name)
		}
		v.names = slices.Insert(v.names, i, memory{name: name, n: n, at: now})
		return &v.names[i]
	}
	m := &v.names[i]
	if m.n != n {
		*m = memory{name: name, n: n}
	}
	m.at = now
	return m
}

// clean forgets names that nothing stands for any more, once they are older than any rule asks for.
func (v *view) clean(dir *node, now time.Time) {
	v.names = slices.DeleteFunc(v.names, func(m memory) bool {
		return now.Sub(m.at) > 2*time.Minute && (m.n == nil || dir.get(m.name) != m.n)
	})
	v.purge = max(64, 2*len(v.names))
}

func (c *Client) forget(dir *node, name string) {
	v := c.view(dir)
	if v == nil {
		return
	}
	if i, found := v.search(name); found {
		v.names = slices.Delete(v.names, i, i+1)
	}
}

// lost notes that the server has just said that there is no such name.
func (c *Client) lost(dir *node, name string, now time.Time) {
	if c.b.MissingAge > 0 {
		c.remember(dir, name, nil, now)
	} else {
		c.forget(dir, name)
	}
}

// misses reports whether the name is one that was missing and is not asked for again yet.
func (c *Client) misses(m *memory, why purpose, now time.Time) bool {
	return m != nil && m.n == nil && now.Sub(m.at) < c.b.MissingAge && !(c.b.ChangeAsks && (why == toTouch || why == toChange))
}

// renewed notes that the server has just said what is in dir, or that it is as before: names that were missing, or lead to what was moved
// away, are asked for again.
func (c *Client) renewed(dir *node) {
	if v := c.view(dir); v != nil {
		v.names = slices.DeleteFunc(v.names, func(m memory) bool {
			return m.n == nil || !m.n.removed && dir.get(m.name) != m.n
		})
	}
}

// changed notes that this host itself changed the entries of dir.
func (c *Client) changed(dir *node) {
	if v := c.view(dir); v != nil {
		v.listed = false
	}
}

// fetch notes what the server has just said of the file or directory itself.
func (m *memory) fetch(info fsys.Info, now time.Time, b *Behaviour) {
	switch {
	case m.age == 0 || !info.Mtime.Equal(m.info.Mtime):
		m.age, m.since = b.firstAge(info.Kind), now
	case now.Sub(m.since) >= m.age:
		m.age, m.since = min(2*m.age, b.AttrAge), now
	}
	m.info, m.fetched = info, now
}

// firstAge is how long a plain stat may be answered from memory of what has just changed.
func (b *Behaviour) firstAge(k fsys.Kind) time.Duration {
	switch {
	case !b.AttrGrows:
		return b.AttrAge
	case k == fsys.KindDir: // acdirmin, by default
		return min(b.AttrAge, 30*time.Second)
	default: // acregmin
		return min(b.AttrAge, 3*time.Second)
	}
}
