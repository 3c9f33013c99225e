package nettest

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestGrace: after a reboot an NFS server waits for its clients to reclaim what they had, for as long as its leases last, when one of them
// does not come back. What is held goes on to beat meanwhile. On NFS 4 what is new and what is released wait for the end of it, and as
// clients ask at ever longer intervals, for up to 15 s more; on NFS 3 and SMB there is nothing to wait for.
func TestGrace(t *testing.T) {
	netlab.Need(t)
	t.Parallel()
	lease := 20 * time.Second
	if long() {
		lease = 60 * time.Second
	}
	s := open(t, netlab.Config{Clients: []string{"a", "b"}, Lease: lease})
	a, b := s.clients[0], s.clients[1]
	var held []*told
	for _, kind := range kinds {
		held = append(held, a.acquire(t, order{Path: s.fresh(t).on(kind), Stale: time.Minute}))
	}
	// Who has something open is who the server waits for.
	b.Start(nil, "sh", "-c", "exec 3>/mnt/nfs4/open; echo x >&3; sleep 1000")
	for end := time.Now().Add(patience); s.lab.Server.Must("sh", "-c", "cat /proc/fs/nfsd/clients/*/states | grep -c /open || true") == "0"; {
		if time.Now().After(end) {
			t.Fatal("b has nothing open")
		}
	}
	b.PowerOff()
	s.lab.Server.Reboot(time.Second)
	back := time.Now()
	s.server = s.employ(t, s.lab.Server)
	var fresh []*told
	for i, kind := range kinds {
		fresh = append(fresh, a.tell(t, order{Do: "acquire", Path: s.fresh(t).on(kind), Wait: 3 * time.Minute}))
		s.server.tell(t, order{Do: "watch", Path: s.lab.Share + held[i].order.Path[len("/mnt/")+len(kind):]})
	}
	time.Sleep(lease * 3 / 4) // nobody is done with waiting yet
	var beats []report
	for i, kind := range kinds {
		beats = append(beats, s.server.watched(t, s.lab.Share+held[i].order.Path[len("/mnt/")+len(kind):]))
	}
	var released []*told
	for _, d := range held {
		released = append(released, a.tell(t, order{Do: "release", Path: d.order.Path}))
	}
	for i, kind := range kinds {
		if r, lost := held[i].look(0, is(toldLost)); lost {
			t.Errorf("%s: a lock was lost in the grace period: %s", kind, r.Err)
		}
		if beats[i].Count < 3 {
			t.Errorf("%s: %d beats in the grace period", kind, beats[i].Count)
		}
		most, least := lease*3/4, time.Duration(0)
		if kind == "nfs4" {
			most, least = lease+15*time.Second+3*time.Second, lease/2
		}
		r := released[i].end(patience)
		got := a.time(fresh[i].had(3 * time.Minute)).Sub(back)
		t.Logf("%s: %d beats in %v; the release took %v; a new lock was had %v after the server was back", kind, beats[i].Count, lease*3/4,
			r.Took.Round(time.Millisecond), got.Round(100*time.Millisecond))
		if r.Err != "" || a.time(r).Sub(back) > max(most, lease) {
			t.Errorf("%s: released %v after the server was back: %s", kind, a.time(r).Sub(back), r.Err)
		}
		if got > most {
			t.Errorf("%s: a new lock took %v, with a grace period of %v", kind, got, lease)
		}
		if got < least {
			t.Errorf("%s: a new lock took %v: there was no grace period", kind, got)
		}
	}
	s.ledger.check(t)
}
