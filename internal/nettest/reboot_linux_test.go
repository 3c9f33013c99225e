package nettest

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// testReboot has the server lose its power in the middle of twenty held locks on each file system, and come back within 15 s. With
// Stale 60 s none is lost or taken over, and those who wait get them when they are released. With Stale 30 s leases may end;
// that there are never two holders is for the ledger.
func testReboot(t *testing.T, s *scene) {
	const many, down = 20, 7 * time.Second
	a, b := s.clients[0], s.clients[1]
	type pair struct {
		kind       string
		held, next *told
	}
	var sure, unsure []pair
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, kind := range kinds {
		for i := range 2 * many {
			group.Go(func() {
				o := order{Path: s.fresh(t).on(kind), Wait: -1, Stale: 60 * time.Second}
				if i >= many {
					o.Stale = 30 * time.Second
				}
				p := pair{kind: kind, held: a.acquire(t, o)}
				o.Do = "acquire"
				p.next = b.tell(t, o)
				mu.Lock()
				defer mu.Unlock()
				if i < many {
					sure = append(sure, p)
				} else {
					unsure = append(unsure, p)
				}
			})
		}
	}
	group.Wait()
	if len(sure)+len(unsure) != 2*many*len(kinds) {
		t.Fatalf("%d and %d locks are held", len(sure), len(unsure))
	}
	time.Sleep(3 * time.Second)
	began := time.Now()
	s.lab.Server.Reboot(down)
	outage := time.Since(began)
	if outage > 15*time.Second {
		t.Errorf("the server was away for %v", outage)
	}
	s.server = s.employ(t, s.lab.Server)
	time.Sleep(45 * time.Second)
	lost, taken := map[string]int{}, map[string]int{}
	for i, p := range append(sure, unsure...) {
		key := fmt.Sprintf("%s, Stale %v", p.kind, p.held.order.Stale)
		if r, ok := p.held.look(0, is(toldLost)); ok {
			lost[key]++
			if i < len(sure) {
				t.Errorf("%s: lost: %s", p.held.order.Path, r.Err)
			}
		}
		if _, ok := p.next.look(0, is(toldAcquired, toldFailed)); ok {
			taken[key]++
			if i < len(sure) {
				t.Errorf("%s was taken over", p.held.order.Path)
			}
		}
	}
	t.Logf("the server was away for %v; lost: %v; taken over: %v", outage.Round(100*time.Millisecond), lost, taken)
	for _, p := range append(sure, unsure...) {
		group.Go(func() {
			a.tell(t, order{Do: "release", Path: p.held.order.Path}).end(patience)
			p.next.had(patience)
			b.release(t, p.next)
		})
	}
	group.Wait()
}
