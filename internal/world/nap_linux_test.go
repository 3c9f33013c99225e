package world

import (
	"os"
	"sync"
	"testing"
	"time"
)

// However many nap at one time, few of them hold a thread for it, and each sleeps for as long as it wanted to.
func TestNapsHoldFewThreads(t *testing.T) {
	threads := func() int {
		all, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := threads()
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			const d = 50 * time.Millisecond
			began := time.Now()
			nap(d)
			if took := time.Since(began); took < d {
				t.Errorf("napped for %v instead of %v", took, d)
			}
		})
	}
	all.Wait()
	if more := threads() - before; more > 16 {
		t.Errorf("200 naps at one time made %d threads", more)
	}
}
