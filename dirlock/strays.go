package dirlock

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A stray is a stamp of this process that nobody here holds and that is not certain to be gone. It must not be left
// behind: while this process lives, its kernel would vouch for it.
type stray struct{ path, name string }

type strayState struct {
	until    time.Duration // Mono: when it is given up, and is left to the mtime rule
	answered bool          // its create had answered, so that "no such file" means that it is gone
	mount    string        // what its path is on
}

// strayFor is how long a stray is chased at least; Stale, if that is longer: for as long as a create that was sent may still
// land.
const (
	strayFor   = defaultStale
	strayEvery = time.Second
)

// addStray remembers a stamp and sees to it that its removal is tried again.
func (p *process) addStray(path, name string, answered bool, stale time.Duration) {
	mount := p.FS.Mount(path)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strays[stray{path, name}] = &strayState{until: p.Clock.Mono() + max(strayFor, stale), answered: answered, mount: mount}
	if !p.sweepers[mount] {
		p.sweepers[mount] = true
		go p.sweep(mount)
	}
}

// isStray reports whether a stamp that was met is one of them, to be unlinked at sight.
func (p *process) isStray(path, name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strays[stray{path, name}] != nil
}

func (p *process) dropStray(path, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.strays, stray{path, name})
}

// sweep tries again to remove the strays on one mount, and ends when there are none.
func (p *process) sweep(mount string) {
	for {
		time.Sleep(strayEvery)
		for _, s := range p.listStrays(mount) {
			p.inTurn(context.Background(), s.path, mount, func() { p.chase(s) })
		}
		p.mu.Lock()
		if !p.hasStrays(mount) {
			delete(p.sweepers, mount)
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

// chase tries to remove one stray.
func (p *process) chase(s listedStray) {
	err := p.FS.Unlink(filepath.Join(s.path, s.name))
	gone := fsys.Is(err, fsys.NotExist) && s.answered
	if err == nil || gone || p.Clock.Mono() > s.until {
		p.dropStray(s.path, s.name)
	}
	if err == nil {
		_ = p.settle(s.path)
	}
}

// hasStrays reports whether there are any on a mount. The caller holds p.mu.
func (p *process) hasStrays(mount string) bool {
	for _, s := range p.strays {
		if s.mount == mount {
			return true
		}
	}
	return false
}

// A listedStray is one as it stood when they were listed.
type listedStray struct {
	stray
	strayState
}

// listStrays lists those on a mount in an order that a simulation can repeat.
func (p *process) listStrays(mount string) []listedStray {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]listedStray, 0, len(p.strays))
	for s, state := range p.strays {
		if state.mount == mount {
			list = append(list, listedStray{s, *state})
		}
	}
	slices.SortFunc(list, func(a, b listedStray) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.name, b.name))
	})
	return list
}
