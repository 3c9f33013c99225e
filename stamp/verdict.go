package stamp

import "time"

// Kind is what was found where a stamp should be.
type Kind uint8

const (
	Stamped   Kind = iota // a name that Parse reads
	Corrupt               // a name with the prefix that Parse refuses with ErrFormat
	Unstamped             // a directory without any stamp
)

// Beat is what a waiter observed of a heartbeat: of the stamp's mtime, or the
// directory's where there is no stamp.
type Beat struct {
	Age       time.Duration // since the last beat, on the file system's own clock
	AgeKnown  bool          // Age means something: both sides' beats carry that clock, and the mtime is not in its future
	Unchanged time.Duration // how long the waiter has watched without a break and seen no change, on its own monotonic clock
	Err       error         // why the last look failed; nothing is taken over then
}

// silent returns for how long there was certainly no beat.
func (b Beat) silent() time.Duration {
	if b.AgeKnown {
		return max(b.Age, b.Unchanged)
	}
	return b.Unchanged
}

// Case is all that a verdict rests on. Stamp and all down to ReleaseSeen count
// only if Kind is Stamped; Kernel and ExitSeen only if SameHost, Across, Local
// and ReleaseSeen only if not.
type Case struct {
	Kind     Kind
	Stamp    Stamp
	SameHost bool // Identity.SameHost
	SameName bool // Identity.SameName

	// Self says that the stamp names this very process (same host, pid and
	// start time) while nothing in it holds the lock or is about to: a stray.
	Self bool

	// Kernel is the answer about the process and its group. Evidence.Zombies
	// is only told to people: see there for who turns it into Dead, and when.
	Kernel Evidence

	// ExitSeen says that this waiter watched the owner's process alive and was
	// then told of its exit by the kernel. It spares the wait for an old
	// heartbeat, not the kernel's answer, which also covers the group.
	ExitSeen bool

	// Across is what this kernel says of an owner that it runs, or ran, in
	// another pid namespace: that it has dropped the lock on the owner's stamp, or
	// that the process is not in the tables of a namespace that it would be seen in.
	// Only Dead counts, and only as long as what proves it is held: see Stamp.Guarded.
	Across Evidence

	// Local says that whoever made the stamp ran on this very kernel, since nobody
	// else can reach the file system. Otherwise a boot id may be a clone's, whose host
	// name then differs.
	Local bool

	// ReleaseSeen says that this waiter found the lock on the stamp taken, and then
	// dropped: it is enough that the next beat but one has failed to come.
	ReleaseSeen bool

	Beat Beat

	// Heartbeat and Stale are the waiter's own settings. Zero stands for 1 s
	// and 30 s, and they are clamped as a stamp's are.
	Heartbeat, Stale time.Duration
}

// Verdict is what to do about an owner, and why.
type Verdict struct {
	Takeover bool   // the stamp may be removed, by its name, or the unstamped directory be stamped in place
	Row      Row    // which rule decided
	Old      bool   // silent for three beats or more (as the stamp declares them, else the waiter's): the question is open
	Reason   string // one line for people: who, what was asked, what it said, what is awaited

	// Wait is after how long of further silence, watched without a break and
	// with nothing else changing, Takeover becomes true: exactly then, not
	// before. It is 0 if Takeover, and -1 if that cannot be foreseen: the owner
	// lives, or the last look failed.
	Wait time.Duration

	// Watching says that the age suffices for a takeover and only the watching
	// for the confirm window is missing.
	Watching bool
}

// Row names the rule that decided: a row of the table in docs/design.md.
type Row uint8

const (
	RowAlive          Row = iota + 1 // same host, not proven dead: wait, for ever
	RowDead                          // proven dead by this kernel: three missed beats or a notice of the exit
	RowUnknownVersion                // the same, but of a version not known here: mtime rule
	RowNames                         // the same, but the host names differ (a cloned machine?): mtime rule
	RowForeign                       // another host or pid namespace, or not verifiable, and not proven dead: mtime rule
	RowCorrupt                       // not our format: mtime rule
	RowUnstamped                     // no stamp: mtime rule
	RowSelf                          // a stray of this process: mtime rule
)

// Confirm returns for how long an owner must be watched unchanged before the
// mtime rule lets its lock be taken over: three beats, or a fifth of stale if
// that is longer. After an outage of a server every lock looks old for a moment.
func Confirm(heartbeat, stale time.Duration) time.Duration {
	return max(3*heartbeat, stale/5)
}

// Judge decides whether a lock may be taken over from the owner that a stamp
// names. It is a pure function: it asks nobody and reads no clock.
//
//   - On the same host (the same running kernel and pid namespace) the kernel's
//     answer rules. Not proven dead: wait, however long the silence, since
//     paused is not dead. Proven dead: takeover, once three beats are missing
//     or, with a notice of the exit, at once.
//   - Of an owner in another pid namespace of the same kernel only a proof of death
//     counts, and it counts as if it were of the same host. Without one: as below.
//   - In all other cases the mtime rule does: no beat for stale (the larger of
//     the waiter's and the stamp's), by the file system's clock or by watching,
//     and watched unchanged for Confirm in any case. So too for the dead on the
//     same host whose stamp is of an unknown version or another host name.
//   - While the last look failed nothing is taken over: unreadable is not missing.
//
// A takeover by the mtime rule is the end of a lease and no proof: its holder
// may be paused, and go on.
func Judge(c Case) Verdict {
	c.Beat.Unchanged = max(0, c.Beat.Unchanged)
	r := ruleFor(c)
	v := Verdict{Row: r.row, Wait: -1}
	if c.Beat.Err == nil {
		silent := c.Beat.silent()
		v.Old = silent >= r.old
		if r.row != RowAlive {
			v.Wait = max(0, r.silence-silent, r.confirm-c.Beat.Unchanged)
			v.Takeover = v.Wait == 0
			v.Watching = !v.Takeover && silent >= r.silence
		}
	}
	v.Reason = reason(c, r, v)
	return v
}

// rule is what a row asks for in a given case.
type rule struct {
	row     Row
	old     time.Duration // silence that opens the question
	silence time.Duration // silence that a takeover takes
	confirm time.Duration // how much of it must have been watched
}

func ruleFor(c Case) rule {
	heartbeat, stale := own(c)
	r := rule{row: rowOf(c), old: 3 * heartbeat}
	if c.Kind == Stamped {
		theirs, theirStale := c.Stamp.Bounds()
		r.old = 3 * theirs
		heartbeat, stale = max(heartbeat, theirs), max(stale, theirStale)
	}
	switch {
	case r.row != RowDead:
		r.silence, r.confirm = stale, Confirm(heartbeat, stale)
	case c.SameHost && c.ExitSeen:
	case !c.SameHost && c.ReleaseSeen:
		r.silence = r.old / 3 * 2
	default:
		r.silence = r.old
	}
	return r
}

func own(c Case) (heartbeat, stale time.Duration) {
	heartbeat, stale = c.Heartbeat, c.Stale
	if heartbeat <= 0 {
		heartbeat = time.Second
	}
	if stale <= 0 {
		stale = 30 * time.Second
	}
	return clamp(heartbeat, stale)
}

func rowOf(c Case) Row {
	switch {
	case c.Kind == Unstamped:
		return RowUnstamped
	case c.Kind != Stamped:
		return RowCorrupt
	case c.Self:
		return RowSelf
	case !c.SameHost && c.Across.Answer != Dead:
		return RowForeign
	case c.SameHost && c.Kernel.Answer != Dead:
		return RowAlive
	case !c.Stamp.Known():
		return RowUnknownVersion
	case !c.SameName && (c.SameHost || !c.Local):
		return RowNames
	default:
		return RowDead
	}
}
