package model

// A Config is what is explored: a protocol, and which faults may befall it.
type Config struct {
	Mutant  Mutant
	Faults  Faults
	Fencing bool // each attempt takes a number
	Guards  bool // nobody's kernel answers for anybody, but it drops the lock on a stamp with its owner
}

// A Graph is every state that can be reached, in the order of a breadth-first search: no path to a state is shorter than Path.
type Graph struct {
	Config    Config
	States    []State
	Violation string // what the last of the states breaks; "": nothing, and the graph is complete

	from  []int32    // which state each was first reached from
	edges [][2]int32 // the steps that are there once faults have stopped
}

// mostStates is where Explore gives up: a change of the model that makes it so much larger had better be another one.
const mostStates = 5_000_000

// Explore goes through every interleaving, until there are no new states or one that breaks what must hold.
func Explore(c Config) *Graph {
	g := &Graph{Config: c, States: []State{{Left: c.Faults}}, from: []int32{-1}}
	known := map[State]int32{g.States[0]: 0}
	for i := 0; i < len(g.States); i++ {
		c.successors(g.States[i], func(n State, e Event) {
			if g.Violation != "" {
				return
			}
			j, ok := known[n]
			if !ok {
				j = int32(len(g.States))
				known[n] = j
				g.States = append(g.States, n)
				g.from = append(g.from, int32(i))
				g.Violation = violation(n)
			}
			if e.Kind == Step {
				g.edges = append(g.edges, [2]int32{int32(i), j})
			}
		})
		if len(g.States) > mostStates {
			g.Violation = "too many states"
		}
		if g.Violation != "" {
			break
		}
	}
	return g
}

// successors emits each state that one step leads to, with the step.
func (c *Config) successors(s State, emit func(State, Event)) {
	for p := range processes {
		t := turn{*c, s, p, emit}
		t.step()
		t.stop()
	}
	c.surroundings(s, emit)
}

// violation says what a state breaks of what must hold in every one.
func violation(s State) string {
	holders := 0
	if s.Script == ScriptHolds {
		holders++
	}
	for _, p := range s.Procs {
		if p.At == Holds {
			holders++
		}
	}
	if holders > 1 {
		return "two holders"
	}
	if s.Misordered {
		return "a holder's number is not above those before"
	}
	for _, live := range s.Procs {
		if live.Number == 0 {
			continue
		}
		for _, zombie := range s.Procs {
			if live.At == Holds && zombie.At == Lapsed && zombie.Number > live.Number {
				return "a zombie's number is above the live holder's"
			}
		}
	}
	return ""
}

func (c Config) String() string {
	text := c.Faults.String()
	if c.Mutant != Design {
		text = c.Mutant.String() + ", " + text
	}
	if c.Fencing {
		text += ", with fencing"
	}
	if c.Guards {
		text += ", with guards"
	}
	return text
}
