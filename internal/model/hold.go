package model

// holds: the holder beats, and releases when it has done its work. Its beat finds that the name is gone: lost.
func (t *turn) holds() {
	n := t.s
	me := n.Procs[t.p]
	t.release()
	if n.P&me.Own == 0 {
		t.do(n, LostIt, "beat: %s is gone: lost")
	}
	t.numberLate()
}

// lapsed: the lease ran out. A holder that was awake has lost the lock; one that was asleep takes it anew, in place, if its
// stamp is still there. Its old name is never beaten again: somebody may have judged it.
func (t *turn) lapsed() {
	n := t.s
	me := &n.Procs[t.p]
	t.do(n, LostIt, "the watchdog ends the lock")
	there := n.P&me.Own != 0
	switch {
	case !there:
		t.do(n, LostIt, "wakes: %s is gone: lost")
	case t.Mutant == RestartLapsed:
		n.Silent &^= me.Own
		t.do(n, Holds, "wakes: beats %s again, and HOLDS")
	default:
		t.do(n, Anew, "wakes: %s is still there")
	}
	t.numberLate()
}

// taken anew: create a stamp with a new uuid; the lease runs from before that.
func (t *turn) anew() {
	n := t.s
	me := &n.Procs[t.p]
	me.Old, me.Own, me.Number = me.Own, n.newName(t.p), 0
	switch {
	case me.Own == 0:
		t.do(n, OutOfNames, "out of names")
	case !me.Gone && n.create(me.Own) && t.Guards:
		t.do(n, OpenGuard, "anew: create(%s)")
	case !me.Gone && n.P&me.Own != 0:
		t.do(n, AnewUnlink, "anew: create(%s)")
	default:
		t.end(n, "anew: create(%s): P is gone: lost")
	}
}

// taken anew: unlink the old name; ENOENT: withdraw, lost. Then 3 and 4 as ever.
func (t *turn) anewUnlink() {
	n := t.s
	me := &n.Procs[t.p]
	old := me.Old
	me.Old = 0
	if !n.unlink(old) {
		t.event(n, Step, Withdraw, "anew: unlink(%s): ENOENT: lost", old)
		return
	}
	t.event(n, Step, t.afterCreate(), "anew: unlink(%s)", old)
	if n, ok := n.spend(Lost); ok {
		t.event(n, Fault, Withdraw, "anew: unlink(%s), but the reply is lost: ENOENT: lost", old)
	}
}
