package model

// A Mutant is the protocol with one rule broken.
type Mutant uint8

// The protocol as it is, and what becomes of it without one of its rules.
const (
	Design             Mutant = iota
	NoListing                 // 3: nobody lists
	RecordInContent           // 2: the record is written into the stamp after the create; an empty stamp counts as corrupt
	EvictByPath               // evict: the stamp has one fixed name, and whatever is there is unlinked
	LoserRemovesAll           // evict: who finds that the stamp is gone removes P with what is in it
	RenameAside               // evict: renames P aside, and then looks whether it was the right one
	UnstampedIsFree           // look: a directory without a stamp is free, fresh or not
	StrayForgotten            // 3: the own name is not listed: back to 1, without unlinking it
	ErrorIsGone               // 3: a stat's error counts as "gone"
	NoLeaseCheck              // 4: nobody looks at the clock
	RestartLapsed             // lease: a lapsed one is restarted, under the old uuid
	ReleaseByPath             // release: the stamp has one fixed name, and whatever is there is unlinked
	UUIDTwice                 // 2: the same uuid in every pass
	NoMarker                  // junk: nobody writes dirlock-vacant
	NumberBeforeCreate        // fencing: the number is taken before 2
	NumberAfterListing        // fencing: the number is taken after 3, once the lock is held
	GuardAfterListing         // guard: it is taken after 3
	GuardNotHad               // guard: who does not get it goes on without
	ProbeDropped              // guard: who probes lets go of it before the unlink
)

// The mutants' names, and the faults that bring out what is wrong with each.
var mutants = [...]struct {
	name    string
	faults  Faults
	fencing bool
	guards  bool
}{
	Design:             {name: "Design"},
	NoListing:          {name: "NoListing"},
	RecordInContent:    {name: "RecordInContent"},
	EvictByPath:        {name: "EvictByPath", faults: Faults{Crash: 1}},
	LoserRemovesAll:    {name: "LoserRemovesAll", faults: Faults{Crash: 1}},
	RenameAside:        {name: "RenameAside", faults: Faults{Lapse: 1}},
	UnstampedIsFree:    {name: "UnstampedIsFree", faults: Faults{Shell: 1}},
	StrayForgotten:     {name: "StrayForgotten", faults: Faults{Miss: 1}},
	ErrorIsGone:        {name: "ErrorIsGone", faults: Faults{Error: 1}},
	NoLeaseCheck:       {name: "NoLeaseCheck", faults: Faults{Lapse: 1}},
	RestartLapsed:      {name: "RestartLapsed", faults: Faults{Lapse: 1}},
	ReleaseByPath:      {name: "ReleaseByPath", faults: Faults{Lapse: 1}},
	UUIDTwice:          {name: "UUIDTwice", faults: Faults{Lapse: 1}},
	NoMarker:           {name: "NoMarker", faults: Faults{Litter: 1}},
	NumberBeforeCreate: {name: "NumberBeforeCreate", fencing: true},
	NumberAfterListing: {name: "NumberAfterListing", faults: Faults{Lapse: 1}, fencing: true},
	GuardAfterListing:  {name: "GuardAfterListing", guards: true},
	GuardNotHad:        {name: "GuardNotHad", guards: true},
	ProbeDropped:       {name: "ProbeDropped", guards: true},
}

func (m Mutant) String() string { return mutants[m].name }

// Config is the mutant with the faults that bring out what is wrong with it.
func (m Mutant) Config() Config {
	return Config{Mutant: m, Faults: mutants[m].faults, Fencing: mutants[m].fencing, Guards: mutants[m].guards}
}

// fixedName reports whether all stamps have one name, so that an exclusive create fails on anybody's.
func (m Mutant) fixedName() bool { return m == EvictByPath || m == ReleaseByPath }

// evictOtherwise evicts as the mutants do.
func (t *turn) evictOtherwise(n State, victim Names) bool {
	me := &n.Procs[t.p]
	switch {
	case t.Mutant == EvictByPath:
		n.unlink(stamps)
		t.event(n, Step, Create, "evict: unlink whatever stamp is there; in place", victim)
	case t.Mutant == LoserRemovesAll && n.P&victim == 0:
		n.remove()
		t.end(n, "evict: ENOENT, so remove P with what is in it")
	case t.Mutant == RenameAside:
		me.Victim, me.Seen = victim, n.P
		n.remove()
		t.event(n, Step, Verify, "evict: rename P aside", victim)
	default:
		return false
	}
	return true
}

// verify is what RenameAside does next. What was renamed is in Seen; P is away, or somebody else's by now.
func (t *turn) verify() {
	n := t.s
	me := n.Procs[t.p]
	switch {
	case me.Seen&stamps&^me.Victim == 0:
		n.Procs[t.p] = Proc{}
		t.event(n, Step, Start, "evict: what was renamed is %s's: remove it", me.Victim)
	case n.mkdir(), n.P == 0: // rename replaces an empty directory
		n.P = me.Seen
		t.end(n, "evict: what was renamed is somebody else's: rename it back")
	default:
		t.end(n, "evict: what was renamed is somebody else's, and there is a new P")
	}
}

// write is what RecordInContent does after the create, with the file that it has open.
func (t *turn) write() {
	n := t.s
	n.Empty &^= n.Procs[t.p].Own
	t.do(n, List, "2 write the record into %s")
}
