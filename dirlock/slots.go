package dirlock

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
)

// mostStuck is how many calls of a process, besides heartbeats and those that follow links from there, may be stuck on one mount
// that hangs.
const mostStuck = 4

// inTurn does what may hang: while nobody else of this process does anything about what key names, a path mostly, and fewer than
// mostStuck do anything on its mount. So a mount that hangs holds few goroutines, and threads, however many wait for it. It
// reports false, and has done nothing, if ctx ended before the turn came.
func (p *process) inTurn(ctx context.Context, key, mount string, f func()) bool {
	leave := p.paths.enter(ctx, key, 1)
	if leave == nil {
		return false
	}
	defer leave()
	pass := p.mounts.enter(ctx, mount, cmp.Or(p.Stuck, mostStuck))
	if pass == nil {
		return false
	}
	defer pass()
	f()
	return true
}

// inTurn does what may hang about the path, if that may hang.
func (a *acquisition) inTurn(ctx context.Context, f func()) bool {
	if a.memory {
		leave := a.paths.enter(ctx, a.path, 1)
		if leave == nil {
			return false
		}
		defer leave()
		f()
		return true
	}
	return a.process.inTurn(ctx, a.path, a.mount, f)
}

// resolving does what may hang on the way to a path as it was given. What it may hang on is not known: a link leads anywhere. So it takes
// no place from those who are there already.
func (p *process) resolving(ctx context.Context, path string, f func()) bool {
	on := "relative" // to what is not asked here, as that may hang too
	if filepath.IsAbs(path) {
		on = p.FS.Mount(path)
	}
	return p.inTurn(ctx, "as given: "+path, "as given: "+on, f)
}

// slots let a number of goroutines in at a time, for each key. They are served first come, first served.
type slots struct {
	mu sync.Mutex
	m  map[string]*slot
}

type slot struct {
	free  chan struct{} // holds a value for each that may enter
	users int
}

// enter waits for one of the key's n slots and returns the function that gives it back; or nil, if ctx ended first.
func (s *slots) enter(ctx context.Context, key string, n int) (leave func()) {
	s.mu.Lock()
	sl := s.m[key]
	if sl == nil {
		sl = &slot{free: make(chan struct{}, n)}
		for range n {
			sl.free <- struct{}{}
		}
		s.m[key] = sl
	}
	sl.users++
	s.mu.Unlock()

	done := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if sl.users--; sl.users == 0 {
			delete(s.m, key)
		}
	}
	leave = func() {
		sl.free <- struct{}{}
		done()
	}
	select {
	case <-sl.free:
		if ctx.Err() == nil {
			return leave
		}
		leave() // a done context wins a tie
	case <-ctx.Done():
		done()
	}
	return nil
}
