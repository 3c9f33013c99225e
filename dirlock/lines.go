package dirlock

import (
	"slices"
	"sync"
	"time"
)

// lines are the waiters of this process: a line for each path, first come, first served. Only who stands first asks the file
// system about the lock; the others wait for that place, and know what was seen from it. So waiters of one process neither race
// each other nor multiply what a server is asked.
type lines struct {
	mu sync.Mutex
	m  map[string][]*line // by path
}

// A line is the waiters of one path who would judge alike. Those with other patience stand in a line of their own: who would wait
// for an hour must not keep back who may take over sooner.
type line struct {
	patience
	waiters []*place // the first is at the front
	last    obstacle // what was seen from there
}

// patience are the settings that a verdict, or when it is asked for, depends on.
type patience struct{ heartbeat, stale, poll time.Duration }

// A place is one waiter's in its line.
type place struct {
	lines *lines
	path  string
	line  *line
	front chan struct{} // closed when this is the first
	wake  chan struct{} // holds a value when there is a reason to look again
}

// join goes to the end of the line.
func (ls *lines) join(path string, t patience) *place {
	p := &place{lines: ls, path: path, front: make(chan struct{}), wake: make(chan struct{}, 1)}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	i := slices.IndexFunc(ls.m[path], func(l *line) bool { return l.patience == t })
	if i < 0 {
		i = len(ls.m[path])
		ls.m[path] = append(ls.m[path], &line{patience: t})
	}
	p.line = ls.m[path][i]
	if p.line.waiters = append(p.line.waiters, p); len(p.line.waiters) == 1 {
		close(p.front)
	}
	return p
}

// first reports whether it is the first.
func (p *place) first() bool {
	select {
	case <-p.front:
		return true
	default:
		return false
	}
}

// leave gives the place up.
func (p *place) leave() {
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	l := p.line
	i := slices.Index(l.waiters, p)
	if l.waiters = slices.Delete(l.waiters, i, i+1); len(l.waiters) > 0 {
		if i == 0 {
			close(l.waiters[0].front)
		}
		return
	}
	all := p.lines.m[p.path]
	all = slices.DeleteFunc(all, func(o *line) bool { return o == l })
	if p.lines.m[p.path] = all; len(all) == 0 {
		delete(p.lines.m, p.path)
	}
}

// stir gives the waiter a reason to look again. It never blocks.
func (p *place) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// released tells those who stand first that this process has given the lock up, or lost it.
func (ls *lines) released(path string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.m[path] {
		l.waiters[0].stir()
	}
}

// saw notes what was met from the front, for who leaves while the next look is under way, and for all behind.
func (p *place) saw(block obstacle) {
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	p.line.last = block
}

func (p *place) seen() obstacle {
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	return p.line.last
}
