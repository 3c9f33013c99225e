package model

// mostNumbers bounds the search where numbers are taken: a process that would need a larger one stops there.
const mostNumbers = 3

// takeNumber takes a fencing number, larger than all before. Exclusive creates and "am I the largest?" after creating make
// it one step. It belongs between 2 and 3: the listing proves that the lock was held when the number was taken.
func (t *turn) takeNumber(next Place) {
	n := t.s
	if n.Top == mostNumbers {
		return
	}
	n.Top++
	n.Procs[t.p].Number = n.Top
	t.do(n, next, "takes the next fencing number")
}

// numberLate is what NumberAfterListing does: take the number once the lock is held, or was, for all that it knows.
func (t *turn) numberLate() {
	n := t.s
	me := &n.Procs[t.p]
	if t.Mutant != NumberAfterListing || me.Number != 0 || n.Top == mostNumbers {
		return
	}
	n.Top++
	me.Number = n.Top
	n.give(me.Number)
	t.do(n, me.At, "takes the next fencing number")
}

// give records that a holder was given a number.
func (s *State) give(number uint8) {
	s.Misordered = s.Misordered || number <= s.Given
	s.Given = max(s.Given, number)
}
