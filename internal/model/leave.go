package model

// withdraw, and 2a: unlink P/<stamp>, rmdir(P). It is certain to be gone if the unlink succeeded, or said ENOENT and the create
// had answered. Otherwise it is a stray.
func (t *turn) withdraw() {
	n := t.s
	own := n.Procs[t.p].Own
	switch {
	case n.unlink(own):
		n.Strays &^= own
		t.do(n, Rmdir, "withdraw: unlink(%s)")
		if n, ok := t.s.spend(Fail); ok {
			n.Strays |= own
			n.Locked &^= own
			t.endWith(n, Fault, "withdraw: unlink(%s): an error; a stray")
		}
	case n.InFlight&own != 0:
		n.Strays |= own
		t.do(n, Rmdir, "withdraw: unlink(%s): ENOENT, but it may land yet; a stray")
	default:
		n.Strays &^= own
		t.do(n, Rmdir, "withdraw: unlink(%s): ENOENT")
	}
}

// sweep tries again to remove a stray, by withdrawing once more.
func (t *turn) sweep() {
	for name := Names(1); name&stamps != 0; name <<= 1 {
		if t.s.Strays&stampsOf(t.p)&name != 0 {
			n := t.s
			n.Procs[t.p].Own = name
			t.do(n, Withdraw, "stray %s: once more")
		}
	}
}

// release: list; the marker before the stamp where there is junk, and away with it where there is none.
func (t *turn) release() {
	n := t.s
	own := n.Procs[t.p].Own
	switch {
	case t.Mutant == ReleaseByPath:
		t.do(n, ReleaseUnlink, "release: begins")
	case n.P&own == 0:
		t.end(n, "release: %s is gone: lost")
	case t.Mutant == NoMarker:
		t.do(n, ReleaseUnlink, "release: list")
	case n.P&Junk != 0:
		t.do(n, ReleaseMark, "release: list: junk")
	case n.P&Marker != 0:
		t.do(n, ReleaseUnmark, "release: list: the marker")
	default:
		t.do(n, ReleaseUnlink, "release: list")
	}
}

// release: unlink P/<stamp>; rmdir(P).
func (t *turn) releaseUnlink() {
	n := t.s
	own := n.Procs[t.p].Own
	if t.Mutant == ReleaseByPath {
		n.unlink(stamps)
		t.do(n, Rmdir, "release: unlink whatever stamp is there")
		return
	}
	if !n.unlink(own) {
		t.end(n, "release: unlink(%s): ENOENT: lost")
		return
	}
	t.do(n, Rmdir, "release: unlink(%s)")
	if n, ok := n.spend(Lost); ok {
		t.endWith(n, Fault, "release: unlink(%s), but the reply is lost: ENOENT")
	}
	if n, ok := t.s.spend(Fail); ok {
		n.Strays |= own
		n.Locked &^= own
		t.endWith(n, Fault, "release: unlink(%s): an error; a stray")
	}
}

// rmdir(P), by one who has just removed a stamp. The file system refuses while anything is inside; then list again.
func (t *turn) rmdir() {
	n := t.s
	switch gone, notEmpty := n.rmdir(); {
	case notEmpty:
		t.do(n, Settle, "rmdir(P): ENOTEMPTY")
	case gone:
		t.end(n, "rmdir(P)")
		if n, ok := n.spend(Lost); ok {
			t.fault(n, Rmdir, "rmdir(P), but the reply is lost: sent again")
		}
	default:
		t.end(n, "rmdir(P): ENOENT")
	}
}

// ENOTEMPTY: list again. A stamp: leave; empty: rmdir again; junk: the marker; the marker alone: away with it.
func (t *turn) settle() {
	n := t.s
	switch {
	case n.P&stamps != 0:
		t.end(n, "rmdir: list: a stamp: leave")
	case n.P&Junk != 0 && t.Mutant == NoMarker, n.P&(Junk|Marker) == Junk|Marker:
		t.end(n, "rmdir: list: junk: leave")
	case n.P&Junk != 0:
		t.do(n, SettleMark, "rmdir: list: junk")
	case n.P&Marker != 0:
		t.do(n, SettleUnmark, "rmdir: list: the marker alone")
	case !n.Exists:
		t.end(n, "rmdir: list: P is gone")
	default:
		t.do(n, Rmdir, "rmdir: list: nothing: again")
	}
}

// mark writes dirlock-vacant into the directory that was listed, if that is still P.
func (t *turn) mark(next Place, what string) {
	n := t.s
	if !n.Procs[t.p].Gone {
		n.create(Marker)
	}
	if next == Start {
		t.end(n, what)
		return
	}
	t.event(n, Step, next, what, 0)
}

func (t *turn) unmark(next Place, what string) {
	n := t.s
	if !n.Procs[t.p].Gone {
		n.unlink(Marker)
	}
	t.event(n, Step, next, what, 0)
}
