package stamp

import (
	"fmt"
	"math"
)

// Ask asks this kernel whether the owner that a stamp names is gone. Only Dead
// proves anything, and it cannot become false again; whatever could not be
// asked or understood is Unknown, which counts as alive.
//
// The question makes sense only to the kernel and in the pid namespace of the
// stamp, so Ask answers Unknown unless id.SameHost(s). No pid but a positive one
// is ever handed to kill(2), which takes 0 and -1 for groups of processes.
//
// If the stamp names a process group, the owner is dead only if the group has no
// living member either, or its number belongs to another leader by now; see
// Evidence.Zombies for a group of which only zombies are left.
func Ask(id Identity, s Stamp) Evidence { return here.ask(id, s) }

func (a asker) ask(id Identity, s Stamp) Evidence {
	if s.PID <= 0 || s.PID > math.MaxInt32 {
		return Evidence{Answer: Unknown, How: fmt.Sprintf("%d is not a pid", s.PID)}
	}
	if !id.SameHost(s) {
		return Evidence{Answer: Unknown, How: "not asked: the owner's kernel or pid namespace is another, or unknown"}
	}
	ev := a.askProcess(id, s)
	if ev.Answer == Dead && s.Group != 0 {
		return a.askGroup(id, s, ev.How)
	}
	return ev
}

func (a asker) askProcess(id Identity, s Stamp) Evidence {
	if s.PID == id.PID {
		// What this process knows about itself needs no kernel.
		if restarted(id, s, id.Start, s.Start) {
			return Evidence{Answer: Dead, How: startedAgain(s.PID, id.Start, s.Start)}
		}
		return Evidence{Answer: Alive, How: fmt.Sprintf("pid %d is this process", s.PID)}
	}
	answer, how := a.exists(s.PID)
	if answer != Alive {
		return Evidence{Answer: answer, How: how}
	}
	if proof, dead := a.died(id, s); dead {
		return Evidence{Answer: Dead, How: proof}
	}
	return Evidence{Answer: Alive, How: how}
}

// died looks for proof that the process behind a pid that exists is over, or is
// not the one of the stamp. Everything that cannot be read is no proof.
func (a asker) died(id Identity, s Stamp) (how string, dead bool) {
	if how, dead := a.exited(s.PID); dead {
		return how, true
	}
	p, err := a.lookup(id, s.PID)
	switch {
	case err != nil:
		return "", false
	case p.zombie:
		return fmt.Sprintf("pid %d is a zombie", s.PID), true
	case restarted(id, s, p.start, s.Start):
		return startedAgain(s.PID, p.start, s.Start), true
	}
	return "", false
}

func startedAgain(pid int, now, then uint64) string {
	return fmt.Sprintf("pid %d was started again (start %d, stamp %d)", pid, now, then)
}
