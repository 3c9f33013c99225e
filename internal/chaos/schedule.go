package chaos

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// An Event is one thing that is done to a process, a host or the server.
type Event struct {
	At   time.Duration
	Do   Deed
	Whom string        // a client; a worker such as "a/2"; the holder of a lock, such as "holder of lock-0"; "" is the server
	For  time.Duration // how long it lasts, if it lasts; for Date how far the date jumps
}

// A Deed is what is done.
type Deed string

// The deeds.
const (
	Kill   Deed = "kill"   // a process, with SIGKILL; it is started again
	Stop   Deed = "stop"   // a process, with SIGSTOP, and SIGCONT after a time
	Cut    Deed = "cut"    // a client from the network
	Power  Deed = "power"  // a host goes off without warning, and boots after a time
	Date   Deed = "date"   // a host's jumps
	Loss   Deed = "loss"   // a third of what the server sends is lost
	Mute   Deed = "mute"   // all that the server sends is lost
	Unsaid Deed = "unsaid" // as Mute, and then the server goes off: what it did last is never answered, and it does not remember
)

// String is one line for people.
func (e Event) String() string {
	whom := e.Whom
	if whom == "" {
		whom = "the server"
	}
	s := fmt.Sprintf("%8.3fs %-6s %s", e.At.Seconds(), e.Do, whom)
	switch {
	case e.Do == Date:
		s += fmt.Sprintf(" by %v", e.For)
	case e.For != 0:
		s += fmt.Sprintf(" for %v", e.For)
	}
	return s
}

// A Plan says what a schedule is for.
type Plan struct {
	Seed    uint64
	Length  time.Duration
	Clients []string
	Workers int // of each client
	Locks   int
	Stale   time.Duration

	// Storm is how long faults come one after the other, and Lull how long there are none afterwards, so that what was abandoned can be
	// seen to be repaired. The schedule ends with a lull.
	Storm, Lull time.Duration
}

// NewSchedule makes the faults of a plan, in the order of time. The same plan makes the same faults.
func NewSchedule(p Plan) []Event {
	s := &schedule{Plan: p, rand: rand.New(rand.NewPCG(p.Seed, 0x6368616f73)), dates: map[string]time.Duration{}}
	for at := p.Lull / 3; at+p.Storm+p.Lull <= p.Length; at += p.Storm + p.Lull {
		s.storm(at, at+p.Storm)
	}
	slices.SortStableFunc(s.events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return s.events
}

type schedule struct {
	Plan
	rand   *rand.Rand
	events []Event
	dates  map[string]time.Duration // how far each host's is off, if it was not switched off since
}

func (s *schedule) add(at time.Duration, do Deed, whom string, lasts time.Duration) {
	s.events = append(s.events, Event{at, do, whom, lasts})
}

// between draws a time, to the millisecond.
func (s *schedule) between(least, most time.Duration) time.Duration {
	return (least + time.Duration(s.rand.Int64N(int64(most-least)+1))).Truncate(time.Millisecond)
}

// stale draws a time in parts of Stale.
func (s *schedule) stale(least, most float64) time.Duration {
	return s.between(time.Duration(least*float64(s.Stale)), time.Duration(most*float64(s.Stale)))
}

func (s *schedule) storm(from, to time.Duration) {
	for _, client := range s.Clients {
		s.client(client, from, to)
	}
	s.server(from, to)
	for at := from + s.between(0, time.Second); at < to; at += s.between(200*time.Millisecond, 1500*time.Millisecond) {
		s.process(at)
	}
	// What the lull must repair.
	for lock := range s.Locks {
		if whom := fmt.Sprintf("holder of lock-%d", lock); s.rand.IntN(3) == 0 {
			s.add(to, Stop, whom, s.stale(1.2, 1.6))
		} else {
			s.add(to, Kill, whom, 0)
		}
	}
}

func (s *schedule) process(at time.Duration) {
	whom := fmt.Sprintf("%s/%d", s.Clients[s.rand.IntN(len(s.Clients))], s.rand.IntN(s.Workers))
	if s.rand.IntN(2) == 0 {
		whom = fmt.Sprintf("holder of lock-%d", s.rand.IntN(s.Locks))
	}
	switch s.rand.IntN(5) {
	case 0, 1:
		s.add(at, Kill, whom, 0)
	case 2, 3:
		s.add(at, Stop, whom, s.stale(0.05, 0.6))
	default:
		s.add(at, Stop, whom, s.stale(0.7, 2))
	}
}

// client has one client suffer, one thing after the other.
func (s *schedule) client(name string, from, to time.Duration) {
	for at := from + s.between(0, 4*time.Second); at < to; at += s.between(500*time.Millisecond, 5*time.Second) {
		do, lasts := Cut, time.Duration(0)
		switch s.rand.IntN(8) {
		case 0, 1, 2:
			lasts = s.stale(0.1, 0.8)
		case 3, 4:
			lasts = s.stale(1.2, 2)
		case 5, 6:
			do, lasts = Power, s.between(200*time.Millisecond, 3*time.Second)
		default:
			s.add(at, Date, name, s.hour(name))
			continue
		}
		s.add(at, do, name, min(lasts, to-at))
		at += lasts
	}
}

func (s *schedule) server(from, to time.Duration) {
	for at := from + s.between(0, 8*time.Second); at < to; at += s.between(2*time.Second, 8*time.Second) {
		do, lasts := Loss, time.Duration(0)
		switch s.rand.IntN(7) {
		case 0, 1:
			lasts = s.between(500*time.Millisecond, 2*time.Second)
		case 2, 3:
			do, lasts = Mute, s.between(100*time.Millisecond, time.Second)
		case 4:
			do, lasts = Power, s.between(100*time.Millisecond, 2*time.Second)
		case 5:
			do, lasts = Unsaid, s.between(100*time.Millisecond, 700*time.Millisecond)
		default:
			s.add(at, Date, "", s.hour(""))
			continue
		}
		s.add(at, do, "", min(lasts, to-at))
		at += lasts
	}
}

// hour is an hour, forth or back: back, if the host's date is not what it was.
func (s *schedule) hour(host string) time.Duration {
	by := -s.dates[host]
	if by == 0 {
		by = time.Hour - time.Duration(s.rand.IntN(2))*2*time.Hour
	}
	s.dates[host] += by
	return by
}

// Script is a schedule for people, a line each.
func Script(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}
