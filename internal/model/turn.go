package model

// A turn is one process in one state. Its methods are the steps of the protocol: each emits the states that may come next.
type turn struct {
	Config

	s    State
	p    int
	emit func(State, Event)
}

// An Event is one step: who did what. The texts begin with the step's number in the protocol.
type Event struct {
	Who  uint8 // a process; or one of those below
	Kind Kind
	Name Names // the stamp that What speaks of as %s
	What string
}

// Those who act besides the processes.
const (
	theServer = processes + iota
	theScript
)

// Kind says what an event counts as when it is asked whether the lock can be had again.
type Kind uint8

// Once faults stop, steps go on; but nobody save the newcomer needs to begin anything.
const (
	Step Kind = iota
	Begin
	Fault
)

func (t *turn) event(n State, kind Kind, at Place, what string, name Names) {
	me := &n.Procs[t.p]
	me.At, me.Gone = at, me.Gone && at.opened()
	t.emit(n, Event{uint8(t.p), kind, name, what})
}

// do takes a step that leads to a place. %s stands for the process's own stamp.
func (t *turn) do(n State, at Place, what string) { t.event(n, Step, at, what, n.Procs[t.p].Own) }

// fault is a step that goes wrong.
func (t *turn) fault(n State, at Place, what string) { t.event(n, Fault, at, what, n.Procs[t.p].Own) }

// end is the last step of an attempt: the process forgets what it knew, save its strays.
func (t *turn) end(n State, what string) { t.endWith(n, Step, what) }

func (t *turn) endWith(n State, kind Kind, what string) {
	name := n.Procs[t.p].Own
	n.Procs[t.p] = Proc{}
	t.event(n, kind, Start, what, name)
}

// step takes the next step of the process, in each way that it may turn out.
func (t *turn) step() {
	switch t.s.Procs[t.p].At {
	case Start:
		t.mkdir()
		t.sweep()
	case Open:
		t.open()
	case Look:
		t.look()
	case Judge:
		t.judge()
	case MarkFirst:
		t.mark(Evict, "evict: marker first, for there is junk")
	case Evict:
		t.evict()
	case Verify:
		t.verify()
	case Create:
		t.create()
	case Write:
		t.write()
	case OpenGuard:
		t.openGuard()
	case Guard:
		t.guard()
	case TakeNumber:
		t.takeNumber(List)
	case List:
		t.list()
	case Stat:
		t.stat()
	case Lease:
		t.lease()
	case Holds:
		t.holds()
	case Lapsed:
		t.lapsed()
	case Anew:
		t.anew()
	case AnewUnlink:
		t.anewUnlink()
	case LostIt:
		t.release()
	case WithdrawMark:
		t.mark(Withdraw, "withdraw: marker first, for there is junk")
	case Withdraw:
		t.withdraw()
	case ReleaseMark:
		t.mark(ReleaseUnlink, "release: marker first, for there is junk")
	case ReleaseUnmark:
		t.unmark(ReleaseUnlink, "release: no junk, so that the marker goes first")
	case ReleaseUnlink:
		t.releaseUnlink()
	case Rmdir:
		t.rmdir()
	case Settle:
		t.settle()
	case SettleMark:
		t.mark(Start, "rmdir: marker, for there is junk")
	case SettleUnmark:
		t.unmark(Rmdir, "rmdir: no junk, so that the marker goes")
	}
}
