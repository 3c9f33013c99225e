package stamp

import (
	"errors"
	"math"
	"testing"
	"time"
)

var (
	answerDead  = Evidence{Answer: Dead, How: "kill: ESRCH"}
	answerAlive = Evidence{Answer: Alive, How: "kill: EPERM"}
	answerNone  = Evidence{Answer: Unknown, How: "kill: ENOSYS"}
)

// local is an owner on this host that lives and beats every 1 s of 30 s, as the waiter does.
func local() Case {
	return Case{Stamp: sampleStamp(), SameHost: true, SameName: true, Kernel: answerAlive, Heartbeat: time.Second, Stale: 30 * time.Second}
}

// change makes another case of it.
type change func(*Case)

func with(changes ...change) Case {
	c := local()
	for _, f := range changes {
		f(&c)
	}
	return c
}

func said(e Evidence) change { return func(c *Case) { c.Kernel = e } }
func foreign(c *Case)        { c.SameHost, c.Kernel = false, Evidence{} }
func renamed(c *Case)        { c.SameName = false }
func newer(c *Case)          { c.Stamp.Version = 2 }
func stray(c *Case)          { c.Self = true }
func exitSeen(c *Case)       { c.ExitSeen = true }
func corrupt(c *Case)        { *c = Case{Kind: Corrupt, Heartbeat: c.Heartbeat, Stale: c.Stale, Beat: c.Beat} }
func unstamped(c *Case)      { corrupt(c); c.Kind = Unstamped }
func failed(c *Case)         { c.Beat.Err = errors.New("stat: EIO") }
func mine(beat, stale time.Duration) change {
	return func(c *Case) { c.Heartbeat, c.Stale = beat, stale }
}
func theirs(beat, stale time.Duration) change {
	return func(c *Case) { c.Stamp.Heartbeat, c.Stamp.Stale = beat, stale }
}

// aged is a heartbeat whose age the file system's clock told.
func aged(age, watched time.Duration) change {
	return func(c *Case) { c.Beat = Beat{Age: age, AgeKnown: true, Unchanged: watched} }
}

// watched is a heartbeat of which only the watching is known.
func watched(d time.Duration) change { return func(c *Case) { c.Beat = Beat{Unchanged: d} } }

var (
	fresh  = aged(500*time.Millisecond, 0)
	moving = aged(time.Hour, 0) // a clock that is an hour off, and a change at every look
	unseen = watched(0)
)

const (
	sec  = time.Second
	msec = time.Millisecond
)

// Every cell of the table in section 4 of docs/design.md.
func TestVerdict(t *testing.T) {
	old := aged(time.Hour, 6*sec) // old by every rule for 1 s of 30 s
	checkVerdicts(t, []verdictRow{
		// Same host, process there: never, in whatever shape it is.
		{"there, fresh", with(fresh), RowAlive, false, -1, false},
		{"there, moving", with(moving), RowAlive, false, -1, true},
		{"there, old", with(old), RowAlive, false, -1, true},
		{"there, old for ever", with(aged(math.MaxInt64, math.MaxInt64)), RowAlive, false, -1, true},
		{"there, newer version, fresh", with(newer, fresh), RowAlive, false, -1, false},
		{"there, newer version, moving", with(newer, moving), RowAlive, false, -1, true},
		{"there, newer version, old", with(newer, old), RowAlive, false, -1, true},
		{"there, names differ, old", with(renamed, old), RowAlive, false, -1, true},
		{"there, exit notice, old: its group lives", with(exitSeen, old), RowAlive, false, -1, true},
		{"there, not the waiter's times", with(mine(10*msec, 30*msec), theirs(10*msec, 30*msec), old), RowAlive, false, -1, true},
		{"unknown answer, fresh", with(said(answerNone), fresh), RowAlive, false, -1, false},
		{"unknown answer, moving", with(said(answerNone), moving), RowAlive, false, -1, true},
		{"unknown answer, old", with(said(answerNone), old), RowAlive, false, -1, true},
		{"unknown answer, exit notice", with(said(answerNone), exitSeen, old), RowAlive, false, -1, true},
		{"unknown answer, newer version, old", with(said(answerNone), newer, old), RowAlive, false, -1, true},
		{"no evidence, old", with(said(Evidence{}), old), RowAlive, false, -1, true},
		{"an answer that does not exist, old", with(said(Evidence{Answer: 7}), old), RowAlive, false, -1, true},
		{"zombies in one scan, old", with(said(Evidence{Answer: Alive, Zombies: true}), old), RowAlive, false, -1, true},
		{"zombies in one scan, no answer, old", with(said(Evidence{Zombies: true}), old), RowAlive, false, -1, true},

		// Same host, process gone: three beats of the stamp.
		{"gone, fresh", with(said(answerDead), fresh), RowDead, false, 2500 * msec, false},
		{"gone, just watched", with(said(answerDead), unseen), RowDead, false, 3 * sec, false},
		{"gone, moving, age unknown", with(said(answerDead), watched(200*msec)), RowDead, false, 2800 * msec, false},
		{"gone, age just below", with(said(answerDead), aged(3*sec-1, 0)), RowDead, false, 1, false},
		{"gone, age exactly", with(said(answerDead), aged(3*sec, 0)), RowDead, true, 0, true},
		{"gone, age above", with(said(answerDead), aged(3*sec+1, 0)), RowDead, true, 0, true},
		{"gone, watched just below", with(said(answerDead), watched(3*sec-1)), RowDead, false, 1, false},
		{"gone, watched exactly", with(said(answerDead), watched(3*sec)), RowDead, true, 0, true},
		{"gone, age in the future, watched exactly", with(said(answerDead), aged(-time.Hour, 3*sec)), RowDead, true, 0, true},
		{"gone, age not known does not count", with(said(answerDead), func(c *Case) { c.Beat.Age = time.Hour }), RowDead, false, 3 * sec, false},
		{"gone, zombies seen twice", with(said(Evidence{Answer: Dead, Zombies: true}), old), RowDead, true, 0, true},
		{"gone, mine slower: the stamp's count", with(said(answerDead), mine(10*sec, 60*sec), aged(3*sec, 0)), RowDead, true, 0, true},
		{"gone, mine faster: the stamp's count", with(said(answerDead), mine(100*msec, sec), aged(3*sec-1, 0)), RowDead, false, 1, false},
		{"gone, stamp's heartbeat clamped down", with(said(answerDead), theirs(time.Hour, 30*sec), aged(30*sec-1, 0)), RowDead, false, 1, false},
		{"gone, stamp's heartbeat clamped down, old", with(said(answerDead), theirs(time.Hour, 30*sec), aged(30*sec, 0)), RowDead, true, 0, true},
		{"gone, stamp's heartbeat 0", with(said(answerDead), theirs(0, 30*sec), aged(30*msec-1, 0)), RowDead, false, 1, false},
		{"gone, stamp's heartbeat 0, old", with(said(answerDead), theirs(0, 30*sec), aged(30*msec, 0)), RowDead, true, 0, true},
		{"gone, exit notice, fresh", with(said(answerDead), exitSeen, fresh), RowDead, true, 0, false},
		{"gone, exit notice, unseen", with(said(answerDead), exitSeen, unseen), RowDead, true, 0, false},

		// The same, but something is odd about it.
		{"gone, newer version, fresh", with(said(answerDead), newer, fresh), RowUnknownVersion, false, 29500 * msec, false},
		{"gone, newer version, moving", with(said(answerDead), newer, moving), RowUnknownVersion, false, 6 * sec, true},
		{"gone, newer version, three beats", with(said(answerDead), newer, watched(6*sec)), RowUnknownVersion, false, 24 * sec, true},
		{"gone, newer version, old", with(said(answerDead), newer, old), RowUnknownVersion, true, 0, true},
		{"gone, version 0, three beats", with(said(answerDead), func(c *Case) { c.Stamp.Version = 0 }, watched(6*sec)), RowUnknownVersion, false, 24 * sec, true},
		{"gone, newer version, exit notice", with(said(answerDead), newer, exitSeen, watched(29*sec)), RowUnknownVersion, false, 1 * sec, true},
		{"gone, names differ, fresh", with(said(answerDead), renamed, fresh), RowNames, false, 29500 * msec, false},
		{"gone, names differ, moving", with(said(answerDead), renamed, moving), RowNames, false, 6 * sec, true},
		{"gone, names differ, three beats", with(said(answerDead), renamed, watched(6*sec)), RowNames, false, 24 * sec, true},
		{"gone, names differ, exit notice", with(said(answerDead), renamed, exitSeen, aged(29*sec, 29*sec)), RowNames, false, 1 * sec, true},
		{"gone, names differ, old", with(said(answerDead), renamed, old), RowNames, true, 0, true},

		// Foreign: the mtime rule, thresholds to the nanosecond.
		{"foreign, fresh", with(foreign, fresh), RowForeign, false, 29500 * msec, false},
		{"foreign, moving", with(foreign, moving), RowForeign, false, 6 * sec, true},
		{"foreign, old", with(foreign, old), RowForeign, true, 0, true},
		{"foreign, age just below", with(foreign, aged(30*sec-1, 6*sec)), RowForeign, false, 1, true},
		{"foreign, age exactly", with(foreign, aged(30*sec, 6*sec)), RowForeign, true, 0, true},
		{"foreign, age exactly, watched just below", with(foreign, aged(30*sec, 6*sec-1)), RowForeign, false, 1, true},
		{"foreign, age above, watched above", with(foreign, aged(30*sec+1, 6*sec+1)), RowForeign, true, 0, true},
		{"foreign, age unknown, watched just below", with(foreign, watched(30*sec-1)), RowForeign, false, 1, true},
		{"foreign, age unknown, watched exactly", with(foreign, watched(30*sec)), RowForeign, true, 0, true},
		{"foreign, age not known does not count", with(foreign, func(c *Case) { c.Beat = Beat{Age: time.Hour, Unchanged: 6 * sec} }), RowForeign, false, 24 * sec, true},
		{"foreign, age in the future, watched below", with(foreign, aged(-time.Hour, 30*sec-1)), RowForeign, false, 1, true}, // scenario 27
		{"foreign, age in the future, watched", with(foreign, aged(-time.Hour, 30*sec)), RowForeign, true, 0, true},          // scenario 29
		{"foreign, age smaller than what was watched", with(foreign, aged(sec, 30*sec)), RowForeign, true, 0, true},
		{"foreign, the answer about some pid here", with(foreign, said(answerDead), watched(6*sec)), RowForeign, false, 24 * sec, true}, // scenario 3
		{"foreign, some pid here is alive", with(foreign, said(answerAlive), old), RowForeign, true, 0, true},                           // scenario 4
		{"foreign, exit notice", with(foreign, said(answerDead), exitSeen, watched(6*sec)), RowForeign, false, 24 * sec, true},
		{"foreign, names alike or not", with(foreign, renamed, old), RowForeign, true, 0, true},
		{"foreign, newer version, fresh", with(foreign, newer, fresh), RowForeign, false, 29500 * msec, false},
		{"foreign, newer version, old", with(foreign, newer, old), RowForeign, true, 0, true}, // scenario 58

		// Whose settings: the larger, either way, and clamped (scenario 42).
		{"stamp's stale larger", with(foreign, mine(100*msec, sec), aged(30*sec-1, 30*sec-1)), RowForeign, false, 1, true},
		{"stamp's stale larger, reached", with(foreign, mine(100*msec, sec), aged(30*sec, 6*sec)), RowForeign, true, 0, true},
		{"mine larger", with(foreign, theirs(100*msec, sec), aged(30*sec-1, 30*sec-1)), RowForeign, false, 1, true},
		{"mine larger, reached", with(foreign, theirs(100*msec, sec), aged(30*sec, 6*sec)), RowForeign, true, 0, true},
		{"stamp's heartbeat larger", with(foreign, theirs(5*sec, 30*sec), aged(time.Hour, 15*sec-1)), RowForeign, false, 1, true},
		{"stamp's heartbeat larger, confirmed", with(foreign, theirs(5*sec, 30*sec), aged(time.Hour, 15*sec)), RowForeign, true, 0, true},
		{"my heartbeat larger", with(foreign, mine(5*sec, 30*sec), aged(time.Hour, 15*sec-1)), RowForeign, false, 1, true},
		{"my heartbeat larger, confirmed", with(foreign, mine(5*sec, 30*sec), aged(time.Hour, 15*sec)), RowForeign, true, 0, true},
		{"stamp's stale for ever is an hour", with(foreign, theirs(sec, math.MaxInt64), aged(time.Hour-1, time.Hour-1)), RowForeign, false, 1, true},
		{"stamp's stale for ever is an hour, reached", with(foreign, theirs(sec, math.MaxInt64), aged(time.Hour, 12*time.Minute)), RowForeign, true, 0, true},
		{"stamp's heartbeat for ever is a third", with(foreign, theirs(math.MaxInt64, 30*sec), aged(time.Hour, 30*sec-1)), RowForeign, false, 1, true},
		{"stamp's heartbeat for ever is a third, reached", with(foreign, theirs(math.MaxInt64, 30*sec), watched(30*sec)), RowForeign, true, 0, true},
		{"stamp's times 0", with(foreign, theirs(0, 0), aged(30*sec, 6*sec-1)), RowForeign, false, 1, true},
		{"no settings of mine: 1 s of 30 s", with(foreign, theirs(0, 0), mine(0, 0), aged(30*sec-1, 30*sec-1)), RowForeign, false, 1, true},
		{"no heartbeat of mine: 1 s", with(mine(0, 4*sec), aged(4*sec, 3*sec-1), unstamped), RowUnstamped, false, 1, true},
		{"no settings of mine: 1 s of 30 s, reached", with(foreign, theirs(0, 0), mine(0, 0), aged(30*sec, 6*sec)), RowForeign, true, 0, true},

		// Not our format, no stamp: the mtime rule with my settings.
		{"corrupt, fresh", with(fresh, corrupt), RowCorrupt, false, 29500 * msec, false},
		{"corrupt, moving", with(moving, corrupt), RowCorrupt, false, 6 * sec, true},
		{"corrupt, just below", with(aged(30*sec-1, 6*sec), corrupt), RowCorrupt, false, 1, true},
		{"corrupt, old", with(old, corrupt), RowCorrupt, true, 0, true},
		{"corrupt, my settings", with(mine(10*msec, 100*msec), aged(100*msec, 30*msec), corrupt), RowCorrupt, true, 0, true},
		{"corrupt, a stamp beside it says nothing", with(old, corrupt, func(c *Case) { c.Stamp, c.SameHost, c.Self = local().Stamp, true, true; c.Kernel = answerAlive }), RowCorrupt, true, 0, true},
		{"a kind that does not exist", with(moving, corrupt, func(c *Case) { c.Kind = 9 }), RowCorrupt, false, 6 * sec, true},
		{"unstamped, fresh", with(fresh, unstamped), RowUnstamped, false, 29500 * msec, false}, // scenario 45
		{"unstamped, moving", with(moving, unstamped), RowUnstamped, false, 6 * sec, true},
		{"unstamped, just below", with(aged(30*sec, 6*sec-1), unstamped), RowUnstamped, false, 1, true},
		{"unstamped, old", with(old, unstamped), RowUnstamped, true, 0, true}, // scenario 44
		{"unstamped, my settings", with(mine(10*msec, 100*msec), watched(100*msec-1), unstamped), RowUnstamped, false, 1, true},

		// A stray of this very process: it is alive, and it is not its lock.
		{"self, fresh", with(stray, fresh), RowSelf, false, 29500 * msec, false},
		{"self, moving", with(stray, moving), RowSelf, false, 6 * sec, true},
		{"self, old", with(stray, old), RowSelf, true, 0, true}, // scenario 26
		{"self, a nonsense answer, three beats", with(stray, said(answerDead), watched(6*sec)), RowSelf, false, 24 * sec, true},

		// Unreadable is not missing (scenario 57).
		{"error, there", with(old, failed), RowAlive, false, -1, false},
		{"error, gone", with(said(answerDead), old, failed), RowDead, false, -1, false},
		{"error, gone, exit notice", with(said(answerDead), exitSeen, old, failed), RowDead, false, -1, false},
		{"error, newer version", with(said(answerDead), newer, old, failed), RowUnknownVersion, false, -1, false},
		{"error, names differ", with(said(answerDead), renamed, old, failed), RowNames, false, -1, false},
		{"error, foreign", with(foreign, old, failed), RowForeign, false, -1, false},
		{"error, corrupt", with(old, failed, corrupt), RowCorrupt, false, -1, false},
		{"error, unstamped", with(old, failed, unstamped), RowUnstamped, false, -1, false},
		{"error, self", with(stray, old, failed), RowSelf, false, -1, false},
	})
}

func TestConfirm(t *testing.T) {
	for _, c := range []struct{ heartbeat, stale, want time.Duration }{
		{sec, 30 * sec, 6 * sec}, {sec, 15 * sec, 3 * sec}, {sec, 10 * sec, 3 * sec}, {2 * sec, 30 * sec, 6 * sec}, {2*sec + 1, 30 * sec, 6*sec + 3}, {20 * time.Minute, time.Hour, time.Hour},
	} {
		if got := Confirm(c.heartbeat, c.stale); got != c.want {
			t.Errorf("Confirm(%v, %v) = %v, want %v", c.heartbeat, c.stale, got, c.want)
		}
	}
}

// Watching is what lets a caller whose time is up stay for one confirm window more.
func TestWatching(t *testing.T) {
	for what, c := range map[string]struct {
		in   Case
		want bool
	}{
		"first sight of an old one": {with(foreign, aged(30*sec, 0)), true},
		"almost confirmed":          {with(foreign, aged(30*sec, 6*sec-1)), true},
		"confirmed: takeover":       {with(foreign, aged(30*sec, 6*sec)), false},
		"not old enough":            {with(foreign, aged(30*sec-1, 6*sec)), false},
		"age unknown":               {with(foreign, watched(29*sec)), false},
		"old, failed look":          {with(foreign, aged(30*sec, 0), failed), false},
		"alive":                     {with(aged(time.Hour, 0)), false},
		"dead across, fresh":        {with(apart(answerDropped), fresh), false},
		"locked, old":               {with(apart(answerLocked), aged(30*sec, 0)), true},
		"dead, fresh":               {with(said(answerDead), fresh), false},
		"dead of a newer version":   {with(said(answerDead), newer, aged(30*sec, 0)), true},
		"unstamped":                 {with(aged(30*sec, 0), unstamped), true},
	} {
		if got := Judge(c.in); got.Watching != c.want {
			t.Errorf("%s: watching %v (%s)", what, got.Watching, got.Reason)
		}
	}
}
