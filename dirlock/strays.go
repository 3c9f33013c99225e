package dirlock

import (
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A stray is a stamp of this process that nobody here holds and that is not certain to be gone. It must not be left
// behind: while this process lives, its kernel would vouch for it.
type stray struct{ path, name string }

type strayState struct {
	until    time.Duration // Mono: when it is given up, and is left to the mtime rule
	answered bool          // its create had answered, so that "no such file" means that it is gone
}

// strayFor is how long a stray is chased at least; Stale, if that is longer: for as long as a create that was sent may still
// land.
const (
	strayFor   = defaultStale
	strayEvery = time.Second
)

// addStray remembers a stamp and sees to it that its removal is tried again.
func (p *process) addStray(path, name string, answered bool, stale time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strays[stray{path, name}] = &strayState{until: p.Clock.Mono() + max(strayFor, stale), answered: answered}
	if !p.sweeper {
		p.sweeper = true
		go p.sweep()
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

// sweep tries again to remove the strays, and ends when there are none.
func (p *process) sweep() {
	for {
		time.Sleep(strayEvery)
		for s, state := range p.listStrays() {
			err := p.FS.Unlink(filepath.Join(s.path, s.name))
			gone := fsys.Is(err, fsys.NotExist) && state.answered
			if err == nil || gone || p.Clock.Mono() > state.until {
				p.dropStray(s.path, s.name)
			}
			if err == nil {
				_ = p.settle(s.path)
			}
		}
		p.mu.Lock()
		if len(p.strays) == 0 {
			p.sweeper = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
	}
}

func (p *process) listStrays() map[stray]strayState {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make(map[stray]strayState, len(p.strays))
	for s, state := range p.strays {
		list[s] = *state
	}
	return list
}
