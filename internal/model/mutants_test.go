package model

import "testing"

const deadStates = "dead states"

// What each mutant leads to, how long its shortest counter-example is, and the step of it that the protocol does not allow.
var wantMutants = map[Mutant]struct {
	what     string
	steps    int
	dead     int
	notTaken string
}{
	NoListing:          {what: "two holders", steps: 11, notTaken: "3 (no listing)"},
	RecordInContent:    {what: "two holders", steps: 16, notTaken: "2 create(A1), still empty"},
	EvictByPath:        {what: "two holders", steps: 20, notTaken: "evict: unlink whatever stamp is there; in place"},
	LoserRemovesAll:    {what: "two holders", steps: 22, notTaken: "evict: ENOENT, so remove P with what is in it"},
	RenameAside:        {what: "two holders", steps: 23, notTaken: "evict: rename P aside"},
	UnstampedIsFree:    {what: "two holders", steps: 8, notTaken: "look: no stamp, which counts as free: in place"},
	StrayForgotten:     {what: deadStates, steps: 4, dead: 14437, notTaken: "3 list: A1 is missing, and is forgotten"},
	ErrorIsGone:        {what: "two holders", steps: 13, notTaken: "3 stat: ESTALE, taken for gone"},
	NoLeaseCheck:       {what: "two holders", steps: 15, notTaken: "4 HOLDS, as A1"},
	RestartLapsed:      {what: "two holders", steps: 16, notTaken: "wakes: beats A1 again, and HOLDS"},
	ReleaseByPath:      {what: "two holders", steps: 25, notTaken: "release: begins"},
	UUIDTwice:          {what: "two holders", steps: 28, notTaken: "2 create(A1)"},
	NoMarker:           {what: deadStates, steps: 2, dead: 36906, notTaken: ""}, // both steps are the world's: what follows differs
	NumberBeforeCreate: {what: "a holder's number is not above those before", steps: 17, notTaken: "takes the next fencing number"},
	GuardAfterListing:  {what: "two holders", steps: 18, notTaken: "3 list: A1 and what else is there"},
	GuardNotHad:        {what: "two holders", steps: 18, notTaken: "2 guard(A1): somebody probes it, never mind"},
	ProbeDropped:       {what: "two holders", steps: 18, notTaken: "2 guard(A1)"},
	NumberAfterListing: {what: "a zombie's number is above the live holder's", steps: 17, notTaken: "3 list: A1 and what else is there"},
}

// Each broken rule shows.
func TestMutants(t *testing.T) {
	for m := Design + 1; int(m) < len(mutants); m++ {
		t.Run(m.String(), func(t *testing.T) {
			want, ok := wantMutants[m]
			if !ok {
				t.Fatal("nobody says what it leads to")
			}
			g := Explore(m.Config())
			what, trace, dead := g.Violation, g.Counterexample(), 0
			if want.what == deadStates && what == "" {
				list := g.Dead()
				if dead = len(list); dead > 0 {
					what, trace = deadStates, g.Path(list[0])
				}
			}
			t.Logf("faults: %v. Within %d states, %s (%d):\n%v", g.Config.Faults, len(g.States), what, dead, trace)
			if what != want.what || len(trace.Events) != want.steps || dead != want.dead {
				t.Errorf("%q after %d steps, %d dead; want %q after %d, %d", what, len(trace.Events), dead, want.what, want.steps, want.dead)
			}
			design := m.Config()
			design.Mutant = Design
			taken := len(trace.Replay(design).Events)
			notTaken := ""
			if taken < len(trace.Events) {
				notTaken = trace.Events[taken].String()
			}
			if notTaken != want.notTaken {
				t.Errorf("the protocol does not allow step %d, %q; want %q", taken+1, notTaken, want.notTaken)
			}
		})
	}
}

// The counter-example for a lapsed lease that is restarted, step by step: it is what it claims to be.
func TestReplay(t *testing.T) {
	c := RestartLapsed.Config()
	trace := Explore(c).Counterexample()
	again := trace.Replay(c)
	if len(again.Events) != len(trace.Events) {
		t.Fatalf("%d of %d steps can be taken again:\n%v", len(again.Events), len(trace.Events), again)
	}
	const a, b = 0, 1
	at := func(i int, p int) Place { return again.States[i].Procs[p].At }
	var judged, woke, evicted int
	for i, e := range again.Events {
		before, after := again.States[i], again.States[i+1]
		if after != trace.States[i+1] {
			t.Fatalf("step %d leads elsewhere:\n%v\n%v", i+1, after, trace.States[i+1])
		}
		if i+1 < len(again.Events) && violation(after) != "" {
			t.Errorf("step %d, not the last, ends with %s", i+1, violation(after))
		}
		switch {
		case e.Who == b && after.Procs[b].Victim != 0 && before.Procs[b].Victim == 0:
			judged = i + 1
			if after.Procs[b].Victim&before.Silent == 0 || at(i, a) != Lapsed {
				t.Errorf("step %d: B judges one that is not silent", i+1)
			}
		case e.Who == a && at(i, a) == Lapsed && at(i+1, a) == Holds:
			woke = i + 1
			if before.Procs[a].Own != after.Procs[a].Own {
				t.Errorf("step %d: A has another uuid", i+1)
			}
		case e.Who == b && before.P&stampsOf(a) != 0 && after.P&stampsOf(a) == 0:
			evicted = i + 1
			if at(i, a) != Holds {
				t.Errorf("step %d: B evicts one that does not hold the lock", i+1)
			}
		}
	}
	if !(0 < judged && judged < woke && woke < evicted) {
		t.Errorf("B judged at step %d, A woke at %d, B evicted at %d", judged, woke, evicted)
	}
	last := len(again.Events)
	if at(last, a) != Holds || at(last, b) != Holds || violation(again.States[last]) != "two holders" {
		t.Errorf("it ends with %v", again.States[last])
	}
}
