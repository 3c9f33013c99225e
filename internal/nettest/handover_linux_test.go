package nettest

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// testHandover measures the time from when one host calls Release until another one's Acquire has returned, with default settings, when
// it has waited for long enough to look as rarely as it ever will.
func testHandover(t *testing.T, s *scene) {
	const lanes = 2
	rounds := 20
	if long() {
		rounds = 100
	}
	each(t, func(t *testing.T, kind string) {
		var mu sync.Mutex
		var took []time.Duration
		var group sync.WaitGroup
		for range lanes {
			group.Go(func() {
				path := s.fresh(t).on(kind)
				from, to := s.clients[0], s.clients[1]
				held := from.acquire(t, order{Path: path})
				for range rounds {
					next := to.tell(t, order{Do: "acquire", Path: path, Wait: -1})
					time.Sleep(1200*time.Millisecond + rand.N(300*time.Millisecond))
					freed := from.tell(t, order{Do: "release", Path: path})
					releasing := freed.wait(patience, "the release", is(toldReleasing))
					got := next.had(patience)
					freed.end(patience)
					mu.Lock()
					took = append(took, to.time(got).Sub(from.time(releasing)))
					mu.Unlock()
					from, to, held = to, from, next
				}
				from.release(t, held)
			})
		}
		group.Wait()
		slices.Sort(took)
		n := len(took)
		if n < lanes*rounds {
			t.Fatalf("%d handovers of %d", n, lanes*rounds)
		}
		p50, p99 := took[n/2], took[min(n-1, n*99/100)]
		t.Logf("%d handovers: p50 %v, p99 %v, least %v, most %v", n, p50, p99, took[0], took[n-1])
		// The long form is for a machine that has nothing else to do. The bounds of the short one are for what is wrong and not for what is slow:
		// a waiter that looks every Poll has it after half of that in the middle, and after a few at the most.
		bar50, bar99 := time.Second, 10*time.Second
		if long() {
			bar50, bar99 = 250*time.Millisecond, 1500*time.Millisecond
		}
		if p50 > bar50 || p99 > bar99 {
			t.Errorf("p50 %v, p99 %v; at most %v and %v were to be", p50, p99, bar50, bar99)
		}
	})
}
