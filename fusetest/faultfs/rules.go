//go:build linux

package faultfs

import (
	"sync"
	"syscall"
	"time"
)

// rules are those of a mount, and who is stalled by them.
type rules struct {
	mu    sync.Mutex
	next  int
	list  []*active
	fired map[int]int // by rule, also after its end
	last  map[int]string
	stuck int // calls that are stalled
}

// An active rule is one as it stands.
type active struct {
	Rule
	id     int
	seen   int
	lifted chan struct{} // closed when the rule is removed
}

func newRules() *rules { return &rules{fired: map[int]int{}, last: map[int]string{}} }

func (rs *rules) add(r Rule) int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.next++
	rs.list = append(rs.list, &active{Rule: r, id: rs.next, lifted: make(chan struct{})})
	return rs.next
}

// remove ends the rule with this id; 0: all.
func (rs *rules) remove(id int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var left []*active
	for _, a := range rs.list {
		if id == 0 || a.id == id {
			close(a.lifted)
		} else {
			left = append(left, a)
		}
	}
	rs.list = left
}

// met is how many calls met the rule, and which was the last.
func (rs *rules) met(id int) (int, string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.fired[id], rs.last[id]
}

// stalled is how many calls are, now.
func (rs *rules) stalled() int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.stuck
}

// meet lets a call meet its rules: it returns when the call may go on, with the errors to give instead of it and after it.
// That a caller is interrupted does not end a stall: a hard mount waits on.
func (rs *rules) meet(op, name string) (before, after syscall.Errno) {
	var delay time.Duration
	var stalls []*active
	rs.mu.Lock()
	for _, a := range rs.list {
		if !a.matches(op, name) {
			continue
		}
		a.seen++
		if a.seen <= a.Skip || a.Times > 0 && a.seen > a.Skip+a.Times {
			continue
		}
		rs.fired[a.id]++
		rs.last[a.id] = op + " " + name
		delay += a.Delay
		switch {
		case a.Stall:
			stalls = append(stalls, a)
		case a.Fail != 0 && a.After && after == 0:
			after = a.Fail
		case a.Fail != 0 && !a.After && before == 0:
			before = a.Fail
		}
	}
	if len(stalls) > 0 {
		rs.stuck++
	}
	rs.mu.Unlock()
	if delay > 0 {
		time.Sleep(delay)
	}
	for _, a := range stalls {
		<-a.lifted
	}
	if len(stalls) > 0 {
		rs.mu.Lock()
		rs.stuck--
		rs.mu.Unlock()
	}
	return before, after
}

// lies are what is said of one name that is not so.
type lies struct {
	still, omit, keep bool
	coarse, cache     time.Duration
}

func (rs *rules) lies(name string) (l lies) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, a := range rs.list {
		if !match(a.Path, name) {
			continue
		}
		l.still = l.still || a.Still
		l.omit = l.omit || a.Omit
		l.keep = l.keep || a.Keep
		l.coarse = max(l.coarse, a.Coarse)
		l.cache = max(l.cache, a.Cache)
	}
	return l
}
