package model

import (
	"fmt"
	"slices"
	"strings"
)

// A Trace is a path through the states, from the first.
type Trace struct {
	Events []Event
	States []State // one more: the first, and what each event led to
}

// Path is a shortest path to a state.
func (g *Graph) Path(i int) Trace {
	var t Trace
	for j := int32(i); j >= 0; j = g.from[j] {
		t.States = append(t.States, g.States[j])
	}
	slices.Reverse(t.States)
	for j, s := range t.States[1:] {
		found := false
		g.Config.successors(t.States[j], func(n State, e Event) {
			if n == s && !found {
				t.Events, found = append(t.Events, e), true
			}
		})
	}
	return t
}

// Counterexample is a shortest path to the state that breaks what must hold, or has no events if there is none.
func (g *Graph) Counterexample() Trace {
	if g.Violation == "" {
		return Trace{}
	}
	return g.Path(len(g.States) - 1)
}

// Replay takes the same steps again, one by one, under the rules of c, and says how far it came: all of them, unless c has
// no such step there.
func (t Trace) Replay(c Config) Trace {
	s := State{Left: c.Faults}
	done := Trace{States: []State{s}}
	for _, want := range t.Events {
		found := false
		c.successors(s, func(n State, e Event) {
			if e == want && !found {
				s, found = n, true
			}
		})
		if !found {
			break
		}
		done.Events = append(done.Events, want)
		done.States = append(done.States, s)
	}
	return done
}

// String has one line a step: who did what, and how things stand then.
func (t Trace) String() string {
	var b strings.Builder
	for i, e := range t.Events {
		fmt.Fprintf(&b, "%2d  %-6s  %-52s  %s\n", i+1, who(e.Who), e, t.States[i+1])
	}
	return b.String()
}

func (e Event) String() string { return strings.ReplaceAll(e.What, "%s", e.Name.String()) }

func who(who uint8) string {
	switch who {
	case theServer:
		return "server"
	case theScript:
		return "script"
	}
	return string('A' + rune(who))
}

// String says what is in P, and who holds the lock or thinks so.
func (s State) String() string {
	text := "no P"
	if s.Exists {
		text = "P{" + s.P.String() + "}"
	}
	if s.Script == ScriptHolds {
		text += ", script holds"
	}
	for p, q := range s.Procs {
		switch q.At {
		case Holds:
			text += fmt.Sprintf(", %c holds", 'A'+p)
		case Lapsed:
			text += fmt.Sprintf(", %c lapsed", 'A'+p)
		default:
			continue
		}
		if q.Number != 0 {
			text += fmt.Sprintf(" with number %d", q.Number)
		}
	}
	return text
}

// String names stamps by their processes and uuids: A1 is A's first.
func (n Names) String() string {
	var names []string
	for i := range processes * uuids {
		if n&(1<<i) != 0 {
			names = append(names, fmt.Sprintf("%c%d", 'A'+i/uuids, i%uuids+1))
		}
	}
	if n&Junk != 0 {
		names = append(names, "junk")
	}
	if n&Marker != 0 {
		names = append(names, "marker")
	}
	return strings.Join(names, " ")
}
