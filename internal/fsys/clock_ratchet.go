package fsys

import (
	"sync"
	"time"
)

// ratchet makes a clock that counts suspend out of one that does not and the wall clock, for systems that have none. Time
// that passed by the wall clock only, a second or more, is taken for sleep. A wall clock that was set forward looks the same:
// leases then end early, which is safe. One that is set back changes nothing; only a machine that sleeps and has its clock
// set back in one go has slept unseen. The zero value is ready.
type ratchet struct {
	mu         sync.Mutex
	begun      bool
	mono, wall time.Duration
	slept      time.Duration
}

// at returns the clock's reading for what the two others say now.
func (r *ratchet) at(read func() (mono, wall time.Duration)) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	mono, wall := read()
	if ahead := (wall - r.wall) - (mono - r.mono); r.begun && ahead >= time.Second {
		r.slept += ahead
	}
	r.begun, r.mono, r.wall = true, mono, wall
	return mono + r.slept
}
