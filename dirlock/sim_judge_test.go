package dirlock

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A holding is a lock that a process believes to hold.
type holding struct {
	p *simProc
	l *Lock
}

// live reports whether its context lives. One whose process is paused, or has just woken up, has no way to know better: that
// is a lease.
func (h holding) live() bool {
	return h.l.Context().Err() == nil && !h.p.isDead() && !h.p.drowsy(2*h.l.set.Heartbeat+leastAnswer)
}

// enter notes that a process holds the lock, and fails the test if another one does too.
func (p *simProc) enter(l *Lock) {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	p.sim.inside = append(p.sim.inside, holding{p, l})
	p.sim.countLive()
}

// countLive fails the test if more than one context lives. The caller holds mu.
func (s *sim) countLive() {
	var names []string
	s.inside = slices.DeleteFunc(s.inside, func(h holding) bool { return h.l.Context().Err() != nil || h.p.isDead() })
	for _, h := range s.inside {
		if h.live() {
			names = append(names, h.p.name)
		}
	}
	if len(names) > 1 {
		s.t.Errorf("two holders at %v: %v", time.Now(), names)
	}
}

// leave notes that the process is not in the critical section any more.
func (p *simProc) leave() {
	p.sim.mu.Lock()
	defer p.sim.mu.Unlock()
	p.sim.inside = slices.DeleteFunc(p.sim.inside, func(h holding) bool { return h.p == p })
}

// judge watches over every call: there is one holder at most, nobody removes the stamp of one whose context lives, and
// no uuid is used for two creates.
func (s *sim) judge(by *simProc, op faultfs.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countLive()
	name := path.Base(op.Path)
	if !strings.HasPrefix(name, stamp.Prefix) || name == stamp.Vacant {
		return
	}
	switch op.Call {
	case "create":
		if s.created[name] {
			s.t.Errorf("%s: a uuid is used twice: %s", by.name, name)
		}
		s.created[name] = true
	case "unlink":
		for _, h := range s.inside {
			if h.p != by && h.live() && h.l.Stamp().Name() == name {
				s.t.Errorf("%s removes the stamp of %s, whose context lives", by.name, h.p.name)
			}
		}
	}
}
