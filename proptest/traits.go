package proptest

import "github.com/aac6cccc/mkdirlock/internal/fsys"

// traits are what kind of mount a process has. A server is asked for that once, which is a step, and may find that what is asked about is gone; then
// it is known for as long as nothing else is mounted, whatever becomes of what it is asked about. A local one is no step, since it cannot be slow.
func (p *Proc) traits(at string, ask func() (fsys.Traits, error)) (fsys.Traits, error) {
	if p.host.kind == Local || p.w.direct {
		return ask()
	}
	p.w.mu.Lock()
	known := p.mounted
	p.w.mu.Unlock()
	if known {
		return p.host.mount.Kind, nil
	}
	t, err := send(p, "statfs", at, ask)
	if err == nil {
		p.w.mu.Lock()
		p.mounted = true
		p.w.mu.Unlock()
	}
	return t, err
}
