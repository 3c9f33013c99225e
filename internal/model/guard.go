package model

// A guard is a lock on a stamp, which the kernel drops with its owner: by it a waiter learns of the death of one about whom its kernel cannot
// be asked. There is no clock, so that each unlocked stamp is old enough: that the owner has missed some beats, too, is for owners that lose
// their guards by accident.

// acquire 2, second half: the guard, before 3. It takes two steps, and who tries it may be quicker. Not had: withdraw.
func (t *turn) openGuard() {
	n := t.s
	if own := n.Procs[t.p].Own; n.P&own == 0 {
		t.unguarded(n, "2 open(%s) for its guard: gone")
		return
	}
	t.do(n, Guard, "2 open(%s) for its guard")
}

func (t *turn) guard() {
	n := t.s
	me := &n.Procs[t.p]
	what := "2 guard(%s)"
	for q, other := range n.Procs {
		if n.Probing&(1<<q) != 0 && other.Victim == me.Own {
			if t.Mutant != GuardNotHad {
				t.unguarded(n, "2 guard(%s): somebody probes it")
				return
			}
			what = "2 guard(%s): somebody probes it, never mind"
		}
	}
	n.Locked |= me.Own & n.P
	switch {
	case me.Old != 0:
		t.do(n, AnewUnlink, what)
	case t.Mutant == GuardAfterListing:
		t.do(n, Lease, what)
	default:
		t.do(n, t.afterCreate(), what)
	}
}

// unguarded gives up: by withdrawing, or, when it was taking a lapsed lock anew, by unlinking the new stamp and keeping the old one until
// the release.
func (t *turn) unguarded(n State, what string) {
	me := &n.Procs[t.p]
	if me.Old == 0 {
		t.withdrawing(n, Step, what)
		return
	}
	name := me.Own
	n.unlink(name)
	*me = Proc{Own: me.Old}
	t.event(n, Step, LostIt, what+"; unlink: lost", name)
}

// probe judges an owner by its guard: who gets that, beside others who probe, keeps it until after the unlink.
func (t *turn) probe(n State, evict Place, name Names) {
	if n.Locked&name != 0 {
		return
	}
	if t.Mutant != ProbeDropped {
		n.Probing |= 1 << t.p
	}
	t.event(n, Step, evict, "look: %s has no guard", name)
}
