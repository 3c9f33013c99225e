package model

import (
	"slices"
	"testing"
)

// The documented limit: a crash, with junk, in a directory not yet stamped, or between a release's (or a withdrawal's) two calls.
// The states from which nobody can hold the lock again are these and no others: they are entered by such a crash or, after it, by
// the junk, and nothing but junk is in the directory.
func deadAreTheLimit(t *testing.T, g *Graph, dead []int) {
	t.Helper()
	isDead := map[State]bool{}
	for _, i := range dead {
		isDead[g.States[i]] = true
		if s := g.States[i]; s.P != Junk {
			t.Fatalf("dead, and P is %q:\n%v", s.P, g.Path(i))
		}
	}
	unstamped := []Place{Open, Create}
	leaving := []Place{Rmdir, Settle, SettleMark}
	entered := map[string]int{}
	for i, s := range g.States {
		if isDead[s] {
			continue
		}
		g.Config.successors(s, func(n State, e Event) {
			if !isDead[n] {
				return
			}
			crashed := slices.ContainsFunc(s.Procs[:], func(p Proc) bool { return p.At == Crashed })
			var who Proc
			if e.Who < processes {
				who = s.Procs[e.Who]
			}
			switch {
			case e.What == "CRASHES" && slices.Contains(unstamped, who.At) && who.Seen&Junk == 0: // else it has left the marker
				entered["a crash, with junk, before the stamp"]++
			case e.What == "CRASHES" && slices.Contains(leaving, who.At):
				entered["a crash, with junk, between unlink and rmdir"]++
			case e.What == "junk lands in P" && crashed:
				entered["junk after a crash"]++
			case crashed && s.P == Junk && who.Seen&Junk == 0 && (e.What == "look: wait" || e.What == "CRASHES"):
				entered["all that, and the last who had listed before the junk does not stamp it in place"]++
			default:
				t.Fatalf("a dead state is entered by %q:\n%v", e, g.Path(i))
			}
		})
	}
	if len(entered) != 4 {
		t.Errorf("not every way in was seen: %v", entered)
	}
	t.Logf("%v: %d of %d states are dead, entered by %v; such as\n%v", g.Config, len(isDead), len(g.States), entered, g.Path(dead[0]))
}

// Another limit, of plain mkdir in a script: nothing in its directory says that it is there. One who has just removed a stamp and
// comes late with its rmdir removes it; one who made a directory that is gone, and comes late to open it, stamps it. Either takes
// a crash, or a pause of Stale, and a script at that very moment. Without one, a script is safe: see designs.
func TestScriptIsRobbedByTheLate(t *testing.T) {
	for _, c := range []Config{{Faults: Faults{Crash: 1, Shell: 1}}, {Faults: Faults{Lapse: 1, Shell: 1}}} {
		g := Explore(c)
		if g.Violation != "two holders" {
			t.Fatalf("%v: %q: if scripts are safe now, say so in doc.go", c, g.Violation)
		}
		trace := g.Counterexample()
		t.Logf("%v:\n%v", c, trace)
		if last := trace.States[len(trace.States)-1]; last.Script != ScriptHolds {
			t.Errorf("%v: not the script is robbed, but a stamped lock:\n%v", c, trace)
		}
	}
}

// The late rmdir, told: B and C have taken over from A, met in one directory, and withdraw.
func TestLateRmdirRemovesAScriptsDirectory(t *testing.T) {
	trace := follow(t, Config{Faults: Faults{Crash: 1, Shell: 1}},
		"A 1 mkdir(P): made it", "A 1 open(P)", "A 2 create(A1)", "A CRASHES",
		"B 1 mkdir(P): exists", "B look: list", "B look: A1 is dead, says the kernel",
		"C 1 mkdir(P): exists", "C look: list", "C look: A1 is dead, says the kernel",
		"B evict: unlink(A1); in place", "B 2 create(B1)",
		"C evict: unlink(A1): ENOENT; in place", "C 2 create(C1)",
		"B 3 list: B1 and what else is there", "B 3 stat: another stamp is there",
		"C 3 list: C1 and what else is there", "C 3 stat: another stamp is there",
		"B withdraw: unlink(B1)", "C withdraw: unlink(C1)", "C rmdir(P)",
		"script mkdir(P): made it, and HOLDS", "B rmdir(P)",
		"C 1 mkdir(P): made it", "C 1 open(P)", "C 2 create(C1)",
		"C 3 list: C1 and what else is there", "C 3 stat: no other stamp is there", "C 4 HOLDS, as C1",
	)
	if got := violation(trace.States[len(trace.States)-1]); got != "two holders" {
		t.Errorf("it ends with %q:\n%v", got, trace)
	}
}

// follow takes the steps that are told.
func follow(t *testing.T, c Config, steps ...string) Trace {
	t.Helper()
	trace := Trace{States: []State{{Left: c.Faults}}}
	for i, step := range steps {
		var allowed []string
		c.successors(trace.States[i], func(n State, e Event) {
			told := who(e.Who) + " " + e.String()
			if allowed = append(allowed, told); told == step {
				trace.Events, trace.States = append(trace.Events, e), append(trace.States, n)
			}
		})
		if len(trace.Events) != i+1 {
			t.Fatalf("after\n%vno %q, but %q", trace, step, allowed)
		}
	}
	return trace
}
