package dirlock

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// inNoStep has the process draw its pauses by lot, and its calls take their time: in a simulation without lots, two could walk in step.
func (p *simProc) inNoStep(seed uint64, call time.Duration) {
	var mu sync.Mutex
	lots := rand.New(rand.NewPCG(seed, uint64(p.id.PID)))
	draw := func(limit time.Duration) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return time.Duration(lots.Int64N(int64(max(limit, 1))))
	}
	p.World.Draw = draw
	p.on(func(op faultfs.Op) (func(error) error, error) {
		return slow(call/6+draw(call/3), call/6+draw(call/3))(op)
	})
}

// Two processes of one machine, with eight goroutines each that hold for a millisecond and want the lock again at once: neither
// starves the other, nor anybody.
func TestFairBetweenProcesses(t *testing.T) {
	fairBetween(t, 1, [2]time.Duration{callTime, callTime})
}

// callTime is what a call to the file system takes, from a third of it to all of it.
const callTime = 60 * time.Microsecond

func fairBetween(t *testing.T, seed uint64, calls [2]time.Duration) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		for i, p := range []*simProc{a, b} {
			p.inNoStep(seed, calls[i])
		}
		var mu sync.Mutex
		turns := map[*simProc]int{}
		var waits []time.Duration
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for _, p := range []*simProc{a, b} {
			for range 8 {
				all.Go(func() {
					for {
						begin := time.Now()
						l, err := p.patient().Acquire(ctx)
						if err != nil {
							mu.Lock()
							waits = append(waits, time.Since(begin)) // in vain
							mu.Unlock()
							return
						}
						p.enter(l)
						mu.Lock()
						turns[p]++
						waits = append(waits, time.Since(begin))
						mu.Unlock()
						time.Sleep(time.Millisecond)
						p.leave()
						p.release(l)
					}
				})
			}
		}
		all.Wait()
		slices.Sort(waits)
		median, longest := waits[len(waits)/2], waits[len(waits)-1]
		n := turns[a] + turns[b]
		t.Logf("%d and %d turns in 10 s; waits: median %v, longest %v", turns[a], turns[b], median, longest)
		if least := min(turns[a], turns[b]); 4*least < n {
			t.Errorf("%d of %d turns for one of the two", least, n)
		}
		if longest > 20*median {
			t.Errorf("the longest wait is %v, the median %v", longest, median)
		}
		if n < 2000 {
			t.Errorf("%d turns in 10 s", n)
		}
		h.hushed(t)
		a.idle()
		b.idle()
	})
}
