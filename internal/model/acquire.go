package model

// acquire 1: mkdir(P); it exists: look.
func (t *turn) mkdir() {
	kind := Begin
	if t.p == newcomer {
		kind = Step
	}
	n := t.s
	if !n.mkdir() {
		t.event(n, kind, Look, "1 mkdir(P): exists", 0)
		return
	}
	n.Fresh = t.Faults[Shell] > 0
	t.event(n, kind, Open, "1 mkdir(P): made it", 0)
	if n, ok := n.spend(Lost); ok {
		t.fault(n, Look, "1 mkdir(P): made it, but the reply is lost: exists")
	}
}

// open opens the directory that it has made, or what stands at the path by now.
func (t *turn) open() {
	if !t.s.Exists {
		t.end(t.s, "1 open(P): gone")
		return
	}
	t.do(t.s, Create, "1 open(P)")
}

// acquire 2: create P/<stamp>, exclusively, under a new uuid. P is gone: back to 1. Any other failure: 2a, which is to withdraw.
// The lease began before this step.
func (t *turn) create() {
	n := t.s
	me := &n.Procs[t.p]
	if t.Mutant == NumberBeforeCreate && me.Number == 0 {
		t.takeNumber(Create)
		return
	}
	me.Own = n.newName(t.p)
	if t.Mutant == UUIDTwice {
		me.Own = 1 << (t.p * uuids)
	}
	if me.Own == 0 {
		t.do(n, OutOfNames, "out of names")
		return
	}
	if n, ok := n.spend(Fail); ok {
		t.fault(n, Withdraw, "2 create(%s): an error")
	}
	if n, ok := n.spend(Slow); ok {
		n.InFlight |= me.Own
		t.fault(n, Withdraw, "2 create(%s): timed out, under way")
	}
	switch {
	case t.Mutant.fixedName() && n.P&stamps != 0:
		t.end(n, "2 create: exists")
	case me.Gone || !n.create(me.Own):
		t.end(n, "2 create(%s): P is gone")
	case t.Mutant == RecordInContent:
		n.Empty |= me.Own
		t.do(n, Write, "2 create(%s), still empty")
	case t.Guards && t.Mutant != GuardAfterListing:
		t.do(n, OpenGuard, "2 create(%s)")
	default:
		t.do(n, t.afterCreate(), "2 create(%s)")
	}
}

func (t *turn) afterCreate() Place {
	if t.Fencing && t.Mutant != NumberAfterListing && t.Mutant != NumberBeforeCreate {
		return TakeNumber
	}
	return List
}

// acquire 3: list P. The own name is not listed: unlink it all the same, back to 1.
func (t *turn) list() {
	n := t.s
	me := &n.Procs[t.p]
	if t.Mutant == NoListing {
		t.do(n, Lease, "3 (no listing)")
		return
	}
	if n.P&me.Own != 0 {
		me.Seen = n.P &^ me.Own
		t.do(n, Stat, "3 list: %s and what else is there")
	} else {
		t.withdrawing(n, Step, "3 list: %s is missing, for it is gone")
	}
	if n, ok := t.s.spend(Miss); ok {
		if t.Mutant == StrayForgotten {
			t.endWith(n, Fault, "3 list: %s is missing, and is forgotten")
		} else {
			t.withdrawing(n, Fault, "3 list: %s is missing, though it is there")
		}
	}
}

// acquire 3, second half. Another stamp that is really there: withdraw. Only ENOENT says that it is not.
func (t *turn) stat() {
	n := t.s
	me := &n.Procs[t.p]
	others := me.Seen & stamps
	if f, ok := n.spend(Error); ok && others != 0 {
		if t.Mutant == ErrorIsGone {
			f.Procs[t.p].Seen = 0
			t.fault(f, Lease, "3 stat: ESTALE, taken for gone")
		} else {
			t.withdrawing(f, Fault, "3 stat: ESTALE, which counts as present")
		}
	}
	if others&n.P != 0 {
		t.withdrawing(n, Step, "3 stat: another stamp is there")
		return
	}
	if t.Mutant == GuardAfterListing {
		t.do(n, OpenGuard, "3 stat: no other stamp is there")
		return
	}
	t.do(n, Lease, "3 stat: no other stamp is there")
}

// withdrawing begins a withdrawal: who has listed junk writes the marker before it unlinks a stamp.
func (t *turn) withdrawing(n State, kind Kind, what string) {
	me := &n.Procs[t.p]
	at := Withdraw
	if me.Seen&Junk != 0 && t.Mutant != NoMarker {
		at = WithdrawMark
	}
	*me = Proc{Own: me.Own}
	t.event(n, kind, at, what, me.Own)
}

// acquire 4: the lease has not run out: held. Else withdraw.
func (t *turn) lease() {
	n := t.s
	me := &n.Procs[t.p]
	if me.Late && t.Mutant != NoLeaseCheck {
		t.withdrawing(n, Step, "4 the lease has run out")
		return
	}
	me.Late, me.Seen, me.Old = false, 0, 0
	if me.Number != 0 {
		n.give(me.Number)
	}
	t.do(n, Holds, "4 HOLDS, as %s")
}
