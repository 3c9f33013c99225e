package stamp

import (
	"strings"
	"testing"
	"time"
)

var (
	answerDropped = Evidence{Answer: Dead, How: "the lock on its stamp was dropped"}
	answerLocked  = Evidence{How: "its stamp is locked"}
)

// apart is an owner in another pid namespace of this kernel, on a file system that only this kernel reaches.
func apart(e Evidence) change {
	return func(c *Case) { c.SameHost, c.Kernel, c.Across, c.Local = false, Evidence{}, e, true }
}
func remotely(c *Case) { c.Local = false }

func inMemory(c *Case) { c.Local = true }
func dropSeen(c *Case) { c.ReleaseSeen = true }

// Every cell of the rows about owners in another pid namespace.
func TestVerdictAcross(t *testing.T) {
	old := aged(time.Hour, 6*sec)
	checkVerdicts(t, []verdictRow{
		// In another pid namespace of this kernel: a proof of death counts as one of the same host, and nothing else does.
		{"across, fresh", with(apart(answerDropped), fresh), RowDead, false, 2500 * msec, false},
		{"across, unseen", with(apart(answerDropped), unseen), RowDead, false, 3 * sec, false},
		{"across, age just below", with(apart(answerDropped), aged(3*sec-1, 0)), RowDead, false, 1, false},
		{"across, age exactly", with(apart(answerDropped), aged(3*sec, 0)), RowDead, true, 0, true},
		{"across, watched exactly, age in the future", with(apart(answerDropped), aged(-time.Hour, 3*sec)), RowDead, true, 0, true},
		{"across, not the waiter's times", with(apart(answerDropped), mine(10*sec, 60*sec), aged(3*sec, 0)), RowDead, true, 0, true},
		{"across, the stamp's times", with(apart(answerDropped), theirs(5*sec, 30*sec), aged(15*sec-1, 0)), RowDead, false, 1, false},
		{"across, release seen, fresh", with(apart(answerDropped), dropSeen, fresh), RowDead, false, 1500 * msec, false},
		{"across, release seen, just below", with(apart(answerDropped), dropSeen, aged(2*sec-1, 0)), RowDead, false, 1, false},
		{"across, release seen, two beats", with(apart(answerDropped), dropSeen, aged(2*sec, 0)), RowDead, true, 0, false},
		{"across, release seen, moving", with(apart(answerDropped), dropSeen, watched(200*msec)), RowDead, false, 1800 * msec, false},
		{"across, released, says a notice of the exit", with(apart(answerDropped), exitSeen, unseen), RowDead, false, 3 * sec, false},
		{"across, the host's name proves nothing where nobody else comes", with(apart(answerDropped), renamed, aged(3*sec, 0)), RowDead, true, 0, true},
		{"across, on a network", with(apart(answerDropped), remotely, aged(3*sec, 0)), RowDead, true, 0, true},
		{"across, on a network, names differ", with(apart(answerDropped), remotely, renamed, watched(6*sec)), RowNames, false, 24 * sec, true},
		{"across, on a network, names differ, release seen", with(apart(answerDropped), remotely, renamed, dropSeen, watched(6*sec)), RowNames, false, 24 * sec, true},
		{"across, on a network, names differ, old", with(apart(answerDropped), remotely, renamed, old), RowNames, true, 0, true},
		{"across, newer version", with(apart(answerDropped), newer, watched(6*sec)), RowUnknownVersion, false, 24 * sec, true},
		{"across, newer version, old", with(apart(answerDropped), newer, old), RowUnknownVersion, true, 0, true},
		{"across, the lock is taken, fresh", with(apart(answerLocked), fresh), RowForeign, false, 29500 * msec, false},
		{"across, the lock is taken: no proof of life", with(apart(answerLocked), old), RowForeign, true, 0, true},
		{"across, the lock is taken, three beats", with(apart(answerLocked), dropSeen, watched(6*sec)), RowForeign, false, 24 * sec, true},
		{"across, alive: no proof of life", with(apart(answerAlive), old), RowForeign, true, 0, true},
		{"across, only zombies in one look", with(apart(Evidence{Zombies: true}), watched(6*sec)), RowForeign, false, 24 * sec, true},
		{"across, not asked", with(apart(Evidence{}), watched(6*sec)), RowForeign, false, 24 * sec, true},
		{"across, an answer that does not exist", with(apart(Evidence{Answer: 7}), watched(6*sec)), RowForeign, false, 24 * sec, true},
		{"same host, there: what is said across does not count", with(old, inMemory, dropSeen, func(c *Case) { c.Across = answerDropped }), RowAlive, false, -1, true},
		{"same host, names differ, on a local file system", with(said(answerDead), renamed, inMemory, watched(6*sec)), RowNames, false, 24 * sec, true},
		{"same host, gone, release seen: three beats", with(said(answerDead), inMemory, dropSeen, aged(3*sec-1, 0)), RowDead, false, 1, false},
		{"corrupt, what is said across", with(old, corrupt, func(c *Case) { c.Across, c.Local = answerDropped, true }, watched(6*sec)), RowCorrupt, false, 24 * sec, true},
		{"self, what is said across", with(apart(answerDropped), stray, watched(6*sec)), RowSelf, false, 24 * sec, true},

		{"error, across", with(apart(answerDropped), old, failed), RowDead, false, -1, false},
	})
}

// A verdictRow is a case and what comes of it.
type verdictRow struct {
	what string
	in   Case
	row  Row
	take bool
	wait time.Duration
	old  bool
}

func checkVerdicts(t *testing.T, rows []verdictRow) {
	t.Helper()
	for _, c := range rows {
		got := Judge(c.in)
		if got.Row != c.row || got.Takeover != c.take || got.Wait != c.wait || got.Old != c.old {
			t.Errorf("%s: %v takeover=%v wait=%v old=%v,\nwant %v takeover=%v wait=%v old=%v\n(%s)", c.what,
				got.Row, got.Takeover, got.Wait, got.Old, c.row, c.take, c.wait, c.old, got.Reason)
		}
		if got.Reason == "" || strings.ContainsRune(got.Reason, '\n') {
			t.Errorf("%s: reason %q", c.what, got.Reason)
		}
	}
}
