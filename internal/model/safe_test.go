package model

import (
	"testing"
	"time"
)

// What the protocol must stand. The sketch that this model grew from had 77,856 states for a crash, a lost reply and a failure,
// 180,555 for a crash and a lapse, 40,948 for two crashes and a missed name. Here there are more, since more is told apart: mkdir
// and opening what it made; listing, the verdict, and the eviction of several stamps in one look; the directory that was opened
// and the one at the path; the last stat and step 4; release's listing; the steps of taking a lapsed lease anew; strays.
var designs = []struct {
	faults  Faults
	fencing bool
	guards  bool
	long    bool // not with -short
	states  int
	dead    int // states from which the newcomer cannot hold the lock again
}{
	{faults: Faults{}, states: 26149},
	{faults: Faults{Crash: 1, Lost: 1}, states: 81648},
	{faults: Faults{Crash: 1, Lost: 1, Fail: 1}, long: true, states: 319516},
	{faults: Faults{Crash: 2, Miss: 1}, states: 70088},
	{faults: Faults{Crash: 1, Error: 1}, states: 67582},
	{faults: Faults{Crash: 1, Lapse: 1}, long: true, states: 525171},
	{faults: Faults{Lost: 1, Lapse: 1}, long: true, states: 1048824},
	{faults: Faults{Slow: 1}, long: true, states: 1312895},
	{faults: Faults{Litter: 1}, states: 209718},
	{faults: Faults{Litter: 2}, long: true, states: 624414},
	{faults: Faults{Crash: 1, Litter: 1}, long: true, states: 260272, dead: 884}, // see deadAreTheLimit
	{faults: Faults{Crash: 2, Litter: 1}, long: true, states: 262179, dead: 933}, // the second: whoever evicts the first
	{faults: Faults{Shell: 2}, states: 13070},
	{faults: Faults{Lapse: 1}, fencing: true, long: true, states: 651671},
	{faults: Faults{}, guards: true, states: 128154},
	{faults: Faults{Crash: 1, Lost: 1}, guards: true, long: true, states: 416157},
	{faults: Faults{Lapse: 1}, guards: true, long: true, states: 1849957},
}

// Never two holders, and from every state the newcomer can hold the lock again.
func TestDesignIsSafe(t *testing.T) {
	reached := map[Place]bool{}
	for _, d := range designs {
		if d.long && testing.Short() {
			continue
		}
		begun := time.Now()
		c := Config{Faults: d.faults, Fencing: d.fencing, Guards: d.guards}
		g := Explore(c)
		t.Logf("%v: %d states in %v", c, len(g.States), time.Since(begun).Round(time.Millisecond))
		if g.Violation != "" {
			t.Errorf("%v: %s:\n%v", c, g.Violation, g.Counterexample())
			continue
		}
		if len(g.States) != d.states {
			t.Errorf("%v: %d states, want %d: if that is meant, say so here and in doc.go", c, len(g.States), d.states)
		}
		for _, s := range g.States {
			for _, p := range s.Procs {
				reached[p.At] = true
			}
		}
		if c.Fencing {
			continue // numbers are bounded, so that everybody stops in the end
		}
		dead := g.Dead()
		if len(dead) != d.dead {
			t.Errorf("%v: the lock cannot be had again in %d states, want %d", c, len(dead), d.dead)
		}
		if len(dead) > 0 {
			deadAreTheLimit(t, g, dead)
		}
	}
	if reached[OutOfNames] {
		t.Error("the model ran out of names: it has not looked at everything")
	}
	for at := Start; at < OutOfNames && !testing.Short(); at++ {
		if !reached[at] && at != Verify && at != Write { // which only mutants come to
			t.Errorf("no process ever came to place %d: what the model says about it was not tried", at)
		}
	}
}

// A trace can be followed only if the steps that a state allows differ in what is told of them.
func TestEventsTellStepsApart(t *testing.T) {
	for _, c := range []Config{{Faults: Faults{Crash: 1, Lost: 1}}, {Faults: Faults{Shell: 2}}, {Faults: Faults{Litter: 1}}} {
		if testing.Short() && c.Faults[Shell] == 0 {
			continue
		}
		g := Explore(c)
		for _, s := range g.States {
			led := map[Event]State{}
			c.successors(s, func(n State, e Event) {
				if other, ok := led[e]; ok && other != n {
					t.Fatalf("%v: %s %q leads from\n%+v to\n%+v and to\n%+v", c, who(e.Who), e, s, n, other)
				}
				led[e] = n
			})
		}
	}
}
