package model

// look: open P, which exists, and list it.
func (t *turn) look() {
	n := t.s
	if !n.Exists {
		t.end(n, "look: P is gone")
		return
	}
	n.Procs[t.p].Seen = n.P
	t.do(n, Judge, "look: list")
}

// judge gives the verdict on what was listed: wait, or take over. Waiting is always possible: nobody need be quick, and
// that an owner is dead is not even asked while its heartbeat is fresh.
func (t *turn) judge() {
	n := t.s
	me := &n.Procs[t.p]
	seen := me.Seen
	t.end(n, "look: wait")
	if seen&stamps == 0 {
		me.Seen = 0
		switch {
		case seen&Marker != 0 && t.Mutant != NoMarker:
			t.do(n, Create, "look: marked vacant: in place")
		case seen&Junk != 0: // only foreign entries: not a lock, nothing is touched
		case me.Gone:
		case t.old(n):
			t.do(n, Create, "look: no stamp, and old: in place")
		case t.Mutant == UnstampedIsFree:
			t.do(n, Create, "look: no stamp, which counts as free: in place")
		}
		return
	}
	for name := Names(1); name&stamps != 0; name <<= 1 {
		if seen&name == 0 || n.P&name == 0 {
			continue
		}
		me.Victim = name
		evict := Evict
		if seen&Junk != 0 && seen&Marker == 0 && t.Mutant != NoMarker {
			evict = MarkFirst
		}
		mine := owner(name) == t.p
		switch {
		case mine && n.Strays&name != 0:
			t.event(n, Step, evict, "look: %s is a stray of its own", name)
		case mine:
		case t.Guards && n.Silent&name == 0:
			t.probe(n, evict, name)
		case t.Guards:
			t.probe(n, evict, name)
			t.event(n, Step, evict, "look: %s has not beaten for Stale", name)
		case n.dead(name):
			t.event(n, Step, evict, "look: %s is dead, says the kernel", name)
		case n.Silent&name != 0:
			t.event(n, Step, evict, "look: %s has not beaten for Stale", name)
		case n.Empty&name != 0:
			t.event(n, Step, evict, "look: %s is empty, so corrupt", name)
		}
	}
}

// old reports whether the mtime rule lets an unstamped directory be stamped in place. It may have been watched for any time, so
// that it does; unless a script takes part: then a directory is fresh until a Lapse is spent on it.
func (c *Config) old(s State) bool { return c.Faults[Shell] == 0 || !s.Fresh }

// evict U: unlink P/<U's name>. That somebody was quicker is all the same. When no stamp is left of those listed: 2, in place.
func (t *turn) evict() {
	n := t.s
	me := &n.Procs[t.p]
	victim := me.Victim
	me.Victim = 0
	me.Seen &^= victim
	n.Probing &^= 1 << t.p
	n.Strays &^= victim & stampsOf(t.p) &^ n.InFlight
	if t.evictOtherwise(n, victim) {
		return
	}
	what := "evict: unlink(%s)"
	if me.Gone || !n.unlink(victim) {
		what = "evict: unlink(%s): ENOENT"
	}
	if me.Seen&n.P&stamps != 0 {
		t.event(n, Step, Judge, what, victim)
		return
	}
	me.Seen &= Junk // what it knows until it lists again
	t.event(n, Step, Create, what+"; in place", victim)
}
