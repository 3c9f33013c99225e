package nettest

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestLookers: a host that has looked at a lock, in each way in which one can, and is then cut off or loses its power, delays neither
// the holder's beats nor its release. The server's leases are as long as those of servers in the field. (A worker that *opened* the stamp
// for reading on NFS 4.2 before, as the word "read" has it do, delays the holder's beats for longer than this test watches.)
func TestLookers(t *testing.T) {
	netlab.Need(t)
	t.Parallel()
	s := open(t, netlab.Config{Clients: []string{"a", "b", "c"}, Lease: 90 * time.Second})
	const beat, most = time.Second, time.Second
	a, lookers := s.clients[0], s.clients[1:]
	var held []*told
	var watches []string
	for _, kind := range kinds {
		p := s.fresh(t)
		l := a.acquire(t, order{Path: p.on(kind)})
		held = append(held, l)
		for _, st := range lookers {
			o := order{Path: p.on(kind), Wait: 1200 * time.Millisecond}
			for _, word := range []string{"inspect", "try", "acquire"} {
				o.Do = word
				if r := st.tell(t, o).end(patience); word == "inspect" && r.Text != "held" || word != "inspect" && !r.Held {
					t.Errorf("%s on %s: %+v", word, kind, r)
				}
			}
			o.Do, o.Wait = "acquire", -1
			st.tell(t, o)
		}
		watches = append(watches, p.at(s.lab))
	}
	time.Sleep(2 * time.Second) // they wait
	checks := func(what string) {
		t.Helper()
		for _, path := range watches {
			s.server.tell(t, order{Do: "watch", Path: path})
		}
		end := time.Now().Add(15 * time.Second)
		for time.Now().Before(end) {
			for _, l := range held {
				if r := a.tell(t, order{Do: "check", Path: l.order.Path}).end(patience); r.Took > most || r.Err != "" {
					t.Errorf("%s: Check of %s took %v: %s", what, l.order.Path, r.Took, r.Err)
				}
			}
			time.Sleep(500 * time.Millisecond)
		}
		for i, path := range watches {
			r := s.server.watched(t, path)
			t.Logf("%s, %s: %d beats, %v between two at most", what, kinds[i], r.Count, r.Took)
			if r.Took > beat+most || r.Count < 10 {
				t.Errorf("%s, %s: %d beats in 15 s, and once %v between two", what, kinds[i], r.Count, r.Took)
			}
		}
	}
	lookers[0].Cut()
	lookers[1].PowerOff()
	checks("one is cut off, one has lost its power")
	for _, l := range held {
		if r := a.release(t, l); r.Took > most {
			t.Errorf("the release of %s took %v", l.order.Path, r.Took)
		}
	}
}
