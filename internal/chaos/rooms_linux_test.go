package chaos

import (
	"cmp"
	"slices"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// File systems in user space are tried on one kernel, see [netlab.Rooms].
var inUserSpace = []string{"sshfs", "fuse"}

// The same as TestChaos on hosts that are namespaces of this machine, so far as such hosts can suffer: their mounts hang, all at once too,
// answers are lost, and they lose power; and what serves sshfs is rebooted.
func TestChaosInUserSpace(t *testing.T) {
	netlab.Want(t)
	for _, kind := range inUserSpace {
		t.Run(kind, func(t *testing.T) { chaos(t, kind) })
	}
}

// mountOptions keep sshfs from what makes it useless for locks: it would remember for 20 s what others have changed since, and end with
// its connection.
func mountOptions(kind string) string {
	if kind == "sshfs" {
		return "reconnect,dir_cache=no,entry_timeout=0,attr_timeout=0,negative_timeout=0"
	}
	return ""
}

// endure is what of a schedule can happen to hosts that are namespaces: they have one clock and no packets.
func endure(events []Event, kind string, clients []string) []Event {
	var list []Event
	for _, e := range events {
		server := e.Whom == ""
		switch {
		case e.Do == Date:
		case server && kind == "fuse" && e.Do == Power: // there is none
		case server && e.Do != Power: // what is not said to one client is not said to any
			do := Unsaid
			if e.Do == Mute {
				do = Cut
			}
			for _, client := range clients {
				list = append(list, Event{e.At, do, client, e.For})
			}
		default:
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return list
}
