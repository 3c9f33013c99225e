package proptest

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// tally is what a search came by.
type tally struct {
	schedules, calls, locks, takeovers, excused, assumed, limits atomic.Int64

	hash uint64 // of all traces, if it was asked for
}

func (t *tally) add(w *World) {
	t.schedules.Add(1)
	t.calls.Add(int64(w.count.calls))
	t.locks.Add(int64(w.count.locks))
	t.takeovers.Add(int64(w.count.takeovers))
	t.excused.Add(int64(w.count.excused))
	t.assumed.Add(int64(w.count.assumed))
	t.limits.Add(int64(w.count.limits))
}

// search runs schedules of a profile until one breaks a promise, or the budget is used up.
func search(t *testing.T, p profile) {
	t.Parallel()
	var n tally
	began := time.Now()
	for {
		rapid.Check(t, func(t *rapid.T) { one(t, p, &n) })
		if t.Failed() || time.Since(began) >= budget.each {
			break
		}
	}
	if n.schedules.Load() < int64(budget.checks) { // with which rapid is content
		t.Errorf("the test's time was over after %d schedules of %d: add -timeout 0", n.schedules.Load(), budget.checks)
	}
	if n.hash != 0 {
		t.Logf("HASH %s %016x", t.Name(), n.hash)
	}
	rate := float64(n.schedules.Load()) / time.Since(began).Seconds()
	t.Logf("%d schedules (%.0f/s): %d calls, %d times the lock was had, %d takeovers; %d moments with two contexts while one was stopped, "+
		"%d after a step of the server's clock; %d met the documented limit", n.schedules.Load(), rate, n.calls.Load(), n.locks.Load(),
		n.takeovers.Load(), n.excused.Load(), n.assumed.Load(), n.limits.Load())
}

// one draws and runs one schedule.
func one(t *rapid.T, p profile, n *tally) {
	rapid.SyncTest(t, func(t *rapid.T) {
		d := newDrawer(t, p)
		defer d.w.Close()
		defer func() { n.add(d.w) }()
		if os.Getenv("PROPTEST_HASH") != "" {
			defer func() { n.hash = n.hash*31 + hashOf(d.w) }()
		}
		t.Repeat(map[string]func(*rapid.T){
			"act": d.act,
			"": func(t *rapid.T) {
				if err := d.w.Failure(); err != nil {
					t.Fatal(err)
				}
			},
		})
		if err := d.w.Finish(d.last(t)); err != nil {
			t.Fatal(err)
		}
	})
}
