package proptest

import (
	"io"
	"slices"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// A guard is a lock on a file that a process has open. The kernel closes it when the process ends, and tells nobody.
type guard struct {
	inner io.Closer
	p     *Proc
}

// Guard takes two steps, and much can happen in between.
func (d gateDir) Guard(name string) (io.Closer, error) {
	open, err := d.take("open", name, func() (io.Closer, error) { return d.inner.(memfs.GuardOpener).OpenGuard(name) })
	if err != nil {
		return nil, err
	}
	if err := d.p.send("guard", d.at(name), open.inner.(*memfs.Guard).Lock); err != nil {
		_ = open.Close()
		return nil, err
	}
	return open, nil
}

func (d gateDir) Probe(name string) (io.Closer, error) {
	return d.take("probe", name, func() (io.Closer, error) { return d.inner.Probe(name) })
}

// take opens something that the kernel will close.
func (d gateDir) take(op, name string, open func() (io.Closer, error)) (*guard, error) {
	var had io.Closer
	err := d.p.send(op, d.at(name), func() error {
		if had != nil { // nothing is sent twice that goes to one's own kernel
			return nil
		}
		g, err := open()
		if err == nil {
			had = g
			d.p.opened(g)
		}
		return err
	})
	if err != nil {
		if had != nil { // nobody heard of it
			_ = d.p.closed(had)
		}
		return nil, err
	}
	return &guard{had, d.p}, nil
}

func (g *guard) Close() error { return g.p.closed(g.inner) }

// opened notes what the kernel will close; what one opens that has ended is closed at once.
func (p *Proc) opened(g io.Closer) {
	p.w.mu.Lock()
	dead := p.dead
	if !dead {
		p.open = append(p.open, g)
	}
	p.w.mu.Unlock()
	if dead {
		_ = g.Close()
	}
}

// closed closes it, if the process lives. Else the kernel was quicker, or somebody has inherited it.
func (p *Proc) closed(g io.Closer) error {
	p.w.mu.Lock()
	dead := p.dead
	if i := slices.Index(p.open, g); i >= 0 && !dead {
		p.open = slices.Delete(p.open, i, i+1)
	}
	p.w.mu.Unlock()
	if dead {
		return nil
	}
	return g.Close()
}

// closeAll is what the kernel does when a process ends.
func (p *Proc) closeAll() {
	p.w.mu.Lock()
	open := p.open
	p.open = nil
	p.w.mu.Unlock()
	for _, g := range open {
		_ = g.Close()
	}
}
