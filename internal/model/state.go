package model

import (
	"fmt"
	"strings"
)

// Processes A and B may crash. C is the newcomer, which never does: whether it can hold the lock again is asked of every state.
const (
	processes = 3
	newcomer  = processes - 1
	uuids     = 4 // that a process has at hand; one that nobody refers to any more is as good as new
)

// Names is a set of names in a directory: a bit for each stamp that there may be, and two more.
type Names uint16

const (
	// Junk is a stray file that landed in the directory.
	Junk Names = 1 << 14
	// Marker is dirlock-vacant.
	Marker Names = 1 << 15

	stamps Names = 1<<(processes*uuids) - 1
)

// stampsOf is the set of all the names that process p can use.
func stampsOf(p int) Names { return (1<<uuids - 1) << (p * uuids) }

// owner is the process whose stamp a name is.
func owner(name Names) int {
	for p := range processes {
		if name&stampsOf(p) != 0 {
			return p
		}
	}
	return processes
}

// A State is all that matters at one moment. It is the key of a map with a million of them: comparable, small, and in an order
// that leaves no gaps.
type State struct {
	P        Names // what is in the directory P
	Silent   Names // stamps not beaten for Stale: whoever judges one by the mtime rule may evict it
	Strays   Names // stamps on their own processes' lists of what is still to be removed
	InFlight Names // stamps whose create was given up as timed out, but may still land
	Empty    Names // stamps whose record is not written yet (RecordInContent)
	Locked   Names // stamps whose owners have their guards

	Procs [processes]Proc

	Exists     bool // P
	Fresh      bool // P is younger than Stale; told apart only where a script takes part, see [Config.old]
	Script     Script
	Top, Given uint8 // fencing: the largest number taken, and the largest that a holder was given
	Misordered bool  // a holder was given a number that is not above those before

	Left Faults

	Probing uint8 // processes that have a lock on their victim's stamp, by which nobody else can have its guard; a bit for each
}

// Proc is one process: where it is in the protocol, and what it remembers.
type Proc struct {
	At     Place
	Gone   bool  // the directory that it has open was removed: a P that is there now is another one
	Late   bool  // its lease ran out before it came to hold the lock
	Number uint8 // fencing
	Own    Names // its stamp of this attempt
	Old    Names // the lapsed stamp that Own replaces
	Seen   Names // what its last listing showed, as far as it is not dealt with
	Victim Names // whom it has judged dead, and will evict
}

// A Script takes the lock by a plain mkdir and frees it by rmdir.
type Script uint8

// What the script is at.
const (
	ScriptAway   Script = iota
	ScriptHolds         // since its mkdir worked
	ScriptLapsed        // it has held for longer than Stale, and has yet to rmdir
)

// Faults says how many of each kind may still happen; an index is a kind.
type Faults [kinds]uint8

var faultNames = [kinds]string{"crash", "lost", "fail", "slow", "miss", "error", "lapse", "litter", "shell"}

func (f Faults) String() string {
	var parts []string
	for kind, n := range f {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", faultNames[kind], n))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// The kinds of faults.
const (
	Crash  = iota // a process stops for good
	Lost          // a call takes effect, and its reply is lost: sent again, it says that there is nothing to do
	Fail          // a create or an unlink answers with an error, and has no effect
	Slow          // a create times out, and may still land later
	Miss          // a listing does not show the own name
	Error         // a stat answers with neither "there" nor "gone", such as ESTALE
	Lapse         // Stale goes by without a beat: the lease has run out before
	Litter        // junk lands in P, or what was there goes
	Shell         // a script comes along
	kinds
)

// spend takes one from what is left of a kind of fault, if there is one.
func (s State) spend(kind int) (State, bool) {
	if s.Left[kind] == 0 {
		return s, false
	}
	s.Left[kind]--
	return s, true
}

func (s *State) mkdir() bool {
	if s.Exists {
		return false
	}
	s.Exists, s.P = true, 0
	return true
}

// create puts a name into the directory. It never fails on one that is there: that is the own uuid, whose reply was lost.
func (s *State) create(name Names) bool {
	if !s.Exists {
		return false
	}
	s.P |= name
	s.Silent &^= name
	return true
}

func (s *State) unlink(name Names) bool {
	there := s.P&name != 0
	s.P &^= name
	s.Silent &^= name
	s.Empty &^= name
	s.Locked &^= name // a guard of what has no name is nobody's business
	return there
}

// rmdir says what the system says: done, ENOENT or ENOTEMPTY.
func (s *State) rmdir() (gone, notEmpty bool) {
	if !s.Exists || s.P != 0 {
		return false, s.Exists
	}
	s.remove()
	return true, false
}

// remove takes P away from its path, for those too who have it open.
func (s *State) remove() {
	s.Exists, s.Fresh, s.P = false, false, 0
	for p := range s.Procs {
		s.Procs[p].Gone = s.Procs[p].At.opened()
	}
}

// dead reports whether the kernel says that a stamp's owner is gone.
func (s *State) dead(name Names) bool { return s.Procs[owner(name)].At == Crashed }

// newName is a stamp's name that process p never used, or that nobody can remember. 0: it has run out of them.
func (s *State) newName(p int) Names {
	used := s.P | s.Strays | s.InFlight
	for _, q := range s.Procs {
		used |= q.Own | q.Old | q.Seen | q.Victim
	}
	for name := Names(1) << (p * uuids); name&stampsOf(p) != 0; name <<= 1 {
		if used&name == 0 {
			return name
		}
	}
	return 0
}
