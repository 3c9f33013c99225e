package stamp

import (
	"errors"
	"testing"
	"time"
)

// The texts are for people on call: who, what was asked, what it said, what is awaited.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		in   Case
		want string
	}{
		{with(aged(12*sec, 0)),
			"pid 4711 on this host is alive (kill: EPERM), its last heartbeat was 12s ago: paused is not dead"},
		{with(watched(1234 * msec)),
			"pid 4711 on this host is alive (kill: EPERM), no heartbeat was seen for 1.2s: paused is not dead"},
		{with(newer, aged(12*sec, 0)),
			"pid 4711 on this host is alive (kill: EPERM), its stamp is of version 2, its last heartbeat was 12s ago: paused is not dead"},
		{with(said(answerNone), aged(12*sec, 0)), // scenario 10: which evidence was missing
			"pid 4711 on this host is not proven dead (kill: ENOSYS), which counts as alive, its last heartbeat was 12s ago"},
		{with(said(Evidence{Answer: Alive, How: "zombies only", Zombies: true}), aged(12*sec, 0)),
			"pid 4711 on this host has only zombies left in its process group 4712 (zombies only), which one more scan must confirm, its last heartbeat was 12s ago"},
		{with(said(answerDead), aged(3*sec, 0)),
			"pid 4711 on this host is dead (kill: ESRCH), its last heartbeat was 3s ago: takeover"},
		{with(said(answerDead), exitSeen, unseen),
			"pid 4711 on this host is dead (kill: ESRCH), its exit was watched: takeover"},
		{with(said(answerDead), aged(2999*msec, 0)), // scenario 41; never "3s of 3s"
			"pid 4711 on this host is dead (kill: ESRCH), but its heartbeat may still be moving: waits until it has been silent for 3s (2.9s so far)"},
		{with(said(answerDead), newer, aged(12*sec, 2*sec)),
			"pid 4711 on this host is dead (kill: ESRCH), but its stamp is of version 2, not known here: waits until it has been silent for 30s (12s so far) and was watched for 6s (2s so far)"},
		{with(said(answerDead), renamed, aged(12*sec, 2*sec)),
			"pid 4711 on this host is dead (kill: ESRCH), but its stamp has another host name (db-1): perhaps a cloned machine: waits until it has been silent for 30s (12s so far) and was watched for 6s (2s so far)"},
		{with(foreign, aged(12*sec, 2*sec)),
			"holder (pid 4711 on db-1) is on another host or in another pid namespace: waits until it has been silent for 30s (12s so far) and was watched for 6s (2s so far)"},
		{with(foreign, aged(40*sec, 6500*msec)),
			"holder (pid 4711 on db-1) is on another host or in another pid namespace: silent for 40s (30s needed) and watched for 6.5s (6s needed): takeover"},
		{with(apart(answerDropped), aged(3*sec, 0)),
			"pid 4711 on db-1, in another pid namespace of this kernel, is dead (the lock on its stamp was dropped), its last heartbeat was 3s ago: takeover"},
		{with(apart(answerDropped), dropSeen, aged(1500*msec, 0)),
			"pid 4711 on db-1, in another pid namespace of this kernel, is dead (the lock on its stamp was dropped), but its heartbeat may still be moving: waits until it has been silent for 2s (1.5s so far)"},
		{with(apart(answerDropped), remotely, renamed, aged(12*sec, 2*sec)),
			"pid 4711 on db-1, in another pid namespace of this kernel, is dead (the lock on its stamp was dropped), but its stamp has another host name (db-1): perhaps a cloned machine: waits until it has been silent for 30s (12s so far) and was watched for 6s (2s so far)"},
		{with(apart(answerLocked), aged(12*sec, 2*sec)),
			"holder (pid 4711 on db-1) is in another pid namespace of this kernel, which has no proof of its death (its stamp is locked): waits until it has been silent for 30s (12s so far) and was watched for 6s (2s so far)"},
		{with(aged(12*sec, 0), corrupt),
			"the stamp's name is not in a format known here: waits until it has been silent for 30s (12s so far) and was watched for 6s (0s so far)"},
		{with(watched(42*msec), unstamped),
			"the directory carries no stamp: waits until it has been silent for 30s (42ms so far) and was watched for 6s (42ms so far)"},
		{with(stray, watched(sec)),
			"the stamp names this process (pid 4711), which does not hold the lock: waits until it has been silent for 30s (1s so far) and was watched for 6s (1s so far)"},
		{with(foreign, aged(time.Hour, time.Hour), func(c *Case) { c.Beat.Err = errors.New("stat a\nb: EIO") }),
			"holder (pid 4711 on db-1) is on another host or in another pid namespace; the last look failed (stat a\ufffdb: EIO): nothing is taken over on an error"},
	} {
		if got := Judge(c.in).Reason; got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

func TestNamesOfRowsAndAnswers(t *testing.T) {
	seen := map[string]bool{}
	for row := RowAlive; row <= RowSelf; row++ {
		if seen[row.String()] || row.String() == "" {
			t.Errorf("row %d is called %q", uint8(row), row)
		}
		seen[row.String()] = true
	}
	if Row(0).String() != "row 0" || Row(99).String() != "row 99" {
		t.Error(Row(0), Row(99))
	}
	if Unknown.String() != "unknown" || Alive.String() != "alive" || Dead.String() != "dead" || Answer(9).String() != "unknown" {
		t.Error("answers")
	}
}
