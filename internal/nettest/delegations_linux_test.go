package nettest

import (
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestDelegations: no server leaves a file of a lock to the host that made it, whatever its kernel. Where one did, the times of that file would
// be that host's own affair: others saw no beat and took the lock over, and once the host was gone who looked at the stamp waited for it, for as
// long as the server's leases last, which here are those of servers in the field.
func TestDelegations(t *testing.T) {
	netlab.Need(t)
	t.Parallel()
	s := open(t, netlab.Config{Clients: []string{"a", "b", "c"}, Lease: 90 * time.Second})
	const beat, stale = time.Second, 6 * time.Second
	a, holders := s.clients[0], s.clients[1:]
	holders[0].Clock(time.Hour)
	holders[1].Clock(-time.Hour)
	t.Logf("Linux %s", a.Must("uname", "-r"))
	var held, waits []*told
	for i, h := range holders {
		p := s.fresh(t)
		o := order{Path: p.on("nfs4"), Heartbeat: beat, Stale: stale, Wait: -1}
		held = append(held, h.acquire(t, o))
		o.Do = "try" // reads the server's clock, by a file made for that
		a.tell(t, o).end(patience)
		o.Do = "acquire"
		waits = append(waits, a.tell(t, o))
		holders[1-i].tell(t, o)
		s.server.tell(t, order{Do: "watch", Path: p.at(s.lab)})
	}
	time.Sleep(2*stale + stale/2)
	if states := delegated(s); states != "" {
		t.Errorf("somebody has what is there for himself:\n%s", states)
	}
	for i, d := range held {
		who := held[i].st.Name
		if r, ok := d.look(0, is(toldLost)); ok {
			t.Errorf("%s, which lives, has lost %s: %s", who, d.order.Path, r.Err)
		}
		if _, ok := waits[i].look(0, is(toldAcquired, toldFailed)); ok {
			t.Errorf("a took over from %s, which lives", who)
		}
		r := s.server.watched(t, s.lab.Share+strings.TrimPrefix(d.order.Path, "/mnt/nfs4"))
		t.Logf("%s: %d beats, %v between two at most", who, r.Count, r.Took)
		if r.Took > 2*beat || r.Count < 10 {
			t.Errorf("%s: %d beats in %v, and once %v between two", who, r.Count, 5*stale/2, r.Took)
		}
	}
	off := time.Now()
	for _, h := range holders {
		h.PowerOff()
		s.ledger.ended(h, off)
	}
	var longest time.Duration
	for i, d := range waits {
		var got report
		for had := false; !had; {
			r := a.tell(t, order{Do: "inspect", Path: d.order.Path}).end(2 * time.Minute)
			if longest = max(longest, r.Took); r.Took > time.Second {
				t.Errorf("a look at the lock of %s, which is off, took %v", held[i].st.Name, r.Took)
			}
			if got, had = d.look(200*time.Millisecond, is(toldAcquired, toldFailed)); !had && time.Since(off) > 2*time.Minute {
				t.Fatalf("the lock of %s is not to be had", held[i].st.Name)
			}
		}
		took := a.time(got).Sub(off)
		t.Logf("the lock of %s was had %v after its host went off", held[i].st.Name, took.Round(time.Millisecond))
		if took > repaired(beat, stale) || got.Err != "" {
			t.Errorf("had after %v, not within %v: %s", took, repaired(beat, stale), got.Err)
		}
		a.release(t, d)
	}
	t.Logf("a look took %v at most", longest)
	s.ledger.check(t)
}

// delegated is what the server has delegated to anybody, by its own account.
func delegated(s *scene) string {
	return s.lab.Server.Must("sh", "-c", "grep -h 'type: deleg' /proc/fs/nfsd/clients/*/states || true")
}

// TestDirectoryDelegations: newer clients also ask for delegations of the directories that they look at, and there is no way to look at one that they
// do not ask at. Nothing in such a directory changes then before the client has given it back, so that one that is gone, having held or waited,
// keeps a lock from being released and from being taken over until the server gives up, which is after a lease; and those who were
// refused meanwhile ask again after up to 15 s. There never are two holders.
func TestDirectoryDelegations(t *testing.T) {
	netlab.Need(t)
	t.Parallel()
	const lease, beat, stale = 10 * time.Second, time.Second, 6 * time.Second
	s := open(t, netlab.Config{Clients: []string{"a", "b", "c"}, Lease: lease, DirectoryDelegations: true})
	a, b, c := s.clients[0], s.clients[1], s.clients[2]
	late := lease + 15*time.Second
	if a.Must("sh", "-c", "cat /sys/module/nfsv4/parameters/directory_delegations 2>/dev/null || echo N") == "N" {
		late = 0
	}
	theirs := "/mnt/nfs4/" + s.fresh(t).name // a's lock, for which c waits, and c's lock, for which b waits
	a.Must("mkdir", "-m", "777", theirs)
	o := order{Heartbeat: beat, Stale: stale, Wait: -1}
	o.Path = theirs + "/awaited"
	held := a.acquire(t, o)
	o.Do = "acquire"
	c.tell(t, o)
	next := b.tell(t, o)
	o.Path = theirs + "/abandoned"
	c.acquire(t, o)
	o.Do = "acquire"
	repair := b.tell(t, o)
	for end := time.Now().Add(patience); late != 0 && !strings.Contains(delegated(s), "/awaited"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no directory is delegated:\n%s", delegated(s))
		}
	}
	time.Sleep(2 * time.Second) // b waits
	off := time.Now()
	c.PowerOff()
	s.ledger.ended(c, off)
	r := a.tell(t, order{Do: "release", Path: held.order.Path}).end(2 * time.Minute)
	t.Logf("the release took %v: %q", r.Took.Round(time.Millisecond), r.Err)
	if r.Took > late+time.Second || r.Lost || late == 0 && r.Err != "" { // after Stale it goes on by itself
		t.Errorf("the release took %v: %s", r.Took, r.Err)
	}
	for d, bound := range map[*told]time.Duration{next: late + 2*time.Second, repair: late + repaired(beat, stale)} {
		took := b.time(d.had(2 * time.Minute)).Sub(off)
		t.Logf("%s was had after %v", d.order.Path, took.Round(time.Millisecond))
		if took > bound {
			t.Errorf("%s was had after %v, not within %v", d.order.Path, took, bound)
		}
		b.release(t, d)
	}
	s.ledger.check(t)
}
