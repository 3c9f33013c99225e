package nettest

import (
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestCuts cuts the holder of ten locks on each file system off the network, while another host waits for them: the holder knows
// that they are lost before the other has them. Then the two change parts.
func TestCuts(t *testing.T) {
	netlab.Need(t)
	t.Parallel()
	s := open(t, netlab.Config{Clients: []string{"a", "b"}})
	cuts, many, beat, stale := 5, 10, time.Second, 6*time.Second
	if long() {
		cuts, stale = 50, 30*time.Second
	}
	bound := 2*repaired(beat, stale) + 10*time.Second // thirty locks at once, on a machine that may be busy: what counts is who is first
	least, latest := time.Hour, time.Duration(0)
	for cut := range cuts {
		holder, waiter := s.clients[cut%2], s.clients[1-cut%2]
		type pair struct{ held, next *told }
		var pairs []pair
		var mu sync.Mutex
		var group sync.WaitGroup
		for _, kind := range kinds {
			for range many {
				group.Go(func() {
					o := order{Path: s.fresh(t).on(kind), Heartbeat: beat, Stale: stale, Wait: -1}
					held := holder.acquire(t, o)
					o.Do = "acquire"
					next := waiter.tell(t, o)
					mu.Lock()
					defer mu.Unlock()
					pairs = append(pairs, pair{held, next})
				})
			}
		}
		group.Wait()
		if len(pairs) != len(kinds)*many {
			t.Fatalf("%d locks are held", len(pairs))
		}
		time.Sleep(2 * time.Second)
		holder.Cut()
		began := time.Now()
		for _, p := range pairs {
			got := p.next.had(bound + 10*time.Second)
			lost, ok := p.held.look(100*time.Millisecond, is(toldLost))
			if !ok {
				t.Errorf("cut %d: %s has %s, and %s does not know that it has lost it", cut, waiter.Name, p.next.order.Path, holder.Name)
				continue
			}
			before := waiter.time(got).Sub(holder.time(lost))
			least, latest = min(least, before), max(latest, waiter.time(got).Sub(began))
			if before <= 0 {
				t.Errorf("cut %d: %s: lost %v after it was taken over: %s", cut, p.next.order.Path, -before, lost.Err)
			}
			if took := waiter.time(got).Sub(began); took > bound {
				t.Errorf("cut %d: %s was had after %v, not within %v", cut, p.next.order.Path, took, bound)
			}
		}
		holder.Heal()
		for _, p := range pairs {
			group.Go(func() {
				waiter.release(t, p.next)
				if r := holder.tell(t, order{Do: "release", Path: p.held.order.Path}).end(patience); !r.Lost {
					t.Errorf("release of what was lost: %+v", r)
				}
			})
		}
		group.Wait()
	}
	s.ledger.check(t)
	t.Logf("%d cuts: a loss was known %v before the lock was had again at the least; that took %v at the most", cuts, least, latest)
}
