package model

// stop lets the process crash, or Stale go by: since its last beat where it holds the lock, since its create before that. Its
// lease is shorter than Stale, so that it has run out by then. (A lease that has run out alone would let others do less: the
// name is not silent yet.) Where it has done nothing yet a crash makes no difference.
func (t *turn) stop() {
	me := t.s.Procs[t.p]
	if me.At == Crashed || me.At == Start && t.s.Strays&stampsOf(t.p) == 0 {
		return
	}
	if n, ok := t.s.spend(Crash); ok && t.p != newcomer {
		n.Procs[t.p] = Proc{}
		n.Strays &^= stampsOf(t.p)
		n.Locked &^= stampsOf(t.p)
		n.Probing &^= 1 << t.p
		t.event(n, Fault, Crashed, "CRASHES", me.Own)
	}
	n, ok := t.s.spend(Lapse)
	if !ok || me.Late {
		return
	}
	n.Silent |= me.Own & n.P
	switch me.At {
	case Holds:
		t.fault(n, Lapsed, "stops for longer than Stale; %s is silent")
	case Write, OpenGuard, Guard, TakeNumber, List, Stat, Lease, AnewUnlink:
		n.Procs[t.p].Late = true
		t.fault(n, me.At, "stops for longer than Stale; %s is silent")
	}
}

// surroundings lets the world act: a create lands late, junk comes and goes, a script uses the lock.
func (c *Config) surroundings(s State, emit func(State, Event)) {
	for name := Names(1); name&stamps != 0; name <<= 1 {
		if s.InFlight&name != 0 {
			n := s
			n.InFlight &^= name
			n.create(name)
			emit(n, Event{theServer, Step, name, "the create of %s lands late"})
		}
	}
	if n, ok := s.spend(Litter); ok && s.Exists {
		if n.P&Junk == 0 {
			n.P |= Junk
			emit(n, Event{theServer, Fault, 0, "junk lands in P"})
		} else {
			n.P &^= Junk
			emit(n, Event{theServer, Fault, 0, "the junk in P goes"})
		}
	}
	c.script(s, emit)
}

func (c *Config) script(s State, emit func(State, Event)) {
	if c.Faults[Shell] == 0 {
		return
	}
	if n, ok := s.spend(Lapse); ok && s.Exists && s.Fresh {
		n.Fresh = false
		if n.Script == ScriptHolds {
			n.Script = ScriptLapsed
		}
		emit(n, Event{theServer, Fault, 0, "P has not been touched for Stale"})
	}
	switch s.Script {
	case ScriptAway:
		if n, ok := s.spend(Shell); ok && n.mkdir() {
			n.Fresh, n.Script = true, ScriptHolds
			emit(n, Event{theScript, Fault, 0, "mkdir(P): made it, and HOLDS"})
		}
	default:
		n := s
		n.Script = ScriptAway
		n.rmdir()
		emit(n, Event{theScript, Step, 0, "rmdir(P)"})
	}
}
