package nettest

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestGrace: after a reboot an NFS server waits for its clients to reclaim what they had, up to a minute and a half in the field, when one of
// them does not come back. What is held goes on to beat meanwhile; what is new on NFS 4 waits.
func TestGrace(t *testing.T) {
	netlab.Need(t)
	if !long() {
		t.Skip("only with MKDIRLOCK_NETLONG=1: it waits for a minute")
	}
	const lease = 60 * time.Second
	s := open(t, netlab.Config{Clients: []string{"a", "b"}, Lease: lease})
	a, b := s.clients[0], s.clients[1]
	var held []*told
	for _, kind := range kinds {
		b.release(t, b.acquire(t, order{Path: s.fresh(t).on(kind)})) // the server knows b
		held = append(held, a.acquire(t, order{Path: s.fresh(t).on(kind), Stale: time.Minute}))
	}
	// Something open is what there is to reclaim.
	b.Start(nil, "sh", "-c", "exec sleep 1000 >/mnt/nfs4/open")
	time.Sleep(2 * time.Second)
	b.PowerOff()
	s.lab.Server.Reboot(time.Second)
	back := time.Now()
	var fresh []*told
	for _, kind := range kinds {
		fresh = append(fresh, a.tell(t, order{Do: "acquire", Path: s.fresh(t).on(kind), Wait: 3 * time.Minute}))
	}
	for i, kind := range kinds {
		got := a.time(fresh[i].had(3 * time.Minute)).Sub(back)
		_, lost := held[i].look(0, is(toldLost))
		t.Logf("%s: a new lock was had %v after the server was back; the old one is lost: %v", kind, got.Round(100*time.Millisecond), lost)
		if lost {
			t.Errorf("%s: a lock was lost in the grace period", kind)
		}
		if kind != "nfs4" && got > lease/2 {
			t.Errorf("%s: a new lock took %v", kind, got)
		}
	}
}
