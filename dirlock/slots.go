package dirlock

import (
	"context"
	"sync"
)

// slots let at most one acquisition of a path talk to the file system at a time, so that a mount that hangs holds one
// goroutine a path and not one a caller. Waiters are served first come, first served.
type slots struct {
	mu sync.Mutex
	m  map[string]*slot
}

type slot struct {
	token chan struct{} // holds one value while the slot is free
	users int
}

// enter waits for the path's slot and returns the function that gives it back; or nil, if ctx ended first.
func (s *slots) enter(ctx context.Context, path string) (leave func()) {
	s.mu.Lock()
	sl := s.m[path]
	if sl == nil {
		sl = &slot{token: make(chan struct{}, 1)}
		sl.token <- struct{}{}
		s.m[path] = sl
	}
	sl.users++
	s.mu.Unlock()

	done := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if sl.users--; sl.users == 0 {
			delete(s.m, path)
		}
	}
	leave = func() {
		sl.token <- struct{}{}
		done()
	}
	select {
	case <-sl.token:
		if ctx.Err() == nil {
			return leave
		}
		leave() // a done context wins a tie
	case <-ctx.Done():
		done()
	}
	return nil
}
