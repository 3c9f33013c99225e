package notify

import (
	"sync"
	"time"
)

// A session is the time for which a source is open, with what is watched in it. All of it is under the lock of its Dirs.
//
// A source's calls are made without the lock, since add may hang. What would go wrong then is that the last stop
// drops a directory that an add, on its way, has found watched already and relies on. So nothing is dropped while an add is
// under way, nor added while something is dropped.
type session struct {
	src      source
	watched  map[int]map[*waiter]struct{}
	adds     int              // under way
	idle     map[int]struct{} // nobody's any more when they were put here; to be dropped
	sweeping bool             // drops are under way
	swept    *sync.Cond       // sweeping has become false
	closed   bool
	timer    *time.Timer // closes it when it has been unused for a while

	// What an add that is under way missed: a notice may come before its waiter is entered. Notices are numbered, so that each add
	// is told of those that came after its own beginning. (Of all that came while any add hung would mean: whoever is woken, and
	// watches anew, is woken at once, for as long as the hanging one hangs.)
	notices uint64
	since   map[int]since // by id, of the time since adds was 0 last
	lost    uint64        // the last notice that was everybody's
}

// since is the number of the last notice about something, and of the last that ended it.
type since struct{ told, over uint64 }

func newSession(d *Dirs) *session {
	return &session{
		watched: map[int]map[*waiter]struct{}{},
		idle:    map[int]struct{}{},
		since:   map[int]since{},
		swept:   sync.NewCond(&d.mu),
	}
}

// enter adds a waiter, whose add was announced after notice number from.
func (s *session) enter(id int, w *waiter, from uint64) {
	if s.since[id].over > from {
		s.idle[id] = struct{}{} // a number that is given out once more would else be watched for nobody
	} else {
		if s.watched[id] == nil {
			s.watched[id] = map[*waiter]struct{}{}
		}
		s.watched[id][w] = struct{}{}
	}
	if s.since[id].told > from || s.lost > from {
		w.wake()
	}
}

// leave takes a waiter out, and reports whether he was the last one.
func (s *session) leave(id int, w *waiter) bool {
	if _, ok := s.watched[id][w]; !ok {
		return false // it is over, or stopped already
	}
	delete(s.watched[id], w)
	if len(s.watched[id]) > 0 {
		return false
	}
	delete(s.watched, id)
	s.idle[id] = struct{}{}
	return true
}

// tell wakes those whom a notice is about.
func (s *session) tell(id int, n notice) {
	s.notices++
	switch n {
	case changed, over:
		for w := range s.watched[id] {
			w.wake()
		}
		at := since{told: s.notices, over: s.since[id].over}
		if n == over {
			at.over = s.notices
			delete(s.watched, id)
			s.idle[id] = struct{}{}
		}
		if s.adds > 0 {
			s.since[id] = at
		}
	case lost, broken:
		s.lost = s.notices
		for _, waiters := range s.watched {
			for w := range waiters {
				w.wake()
			}
		}
		if n == broken {
			clear(s.watched)
		}
	}
}

// unwanted empties idle and returns what of it nobody has begun to watch again.
func (s *session) unwanted() (ids []int) {
	for id := range s.idle {
		if s.watched[id] == nil {
			ids = append(ids, id)
		}
	}
	clear(s.idle)
	return ids
}

func (s *session) unused() bool {
	return s.adds == 0 && !s.sweeping && len(s.watched) == 0 && len(s.idle) == 0
}
