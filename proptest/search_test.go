package proptest

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// budget is how long or how far to search; see docs/testing.md.
var budget struct {
	schedules int           // in all properties together
	each      time.Duration // of each property; 0: schedules counts
}

const (
	defaultSchedules = 7000
	usualSearch      = "1" // the seed, where none is given and no time to search for
)

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400) // what a world needs is little, and soon gone
	if err := readBudget(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// readBudget takes PROPTEST_BUDGET=1h or PROPTEST_SCHEDULES=300000 from the environment. -rapid.checks, for each
// property, stands before both.
func readBudget() error {
	budget.schedules = defaultSchedules
	if testing.Short() {
		budget.schedules /= 5
	}
	if s := os.Getenv("PROPTEST_SCHEDULES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("PROPTEST_SCHEDULES=%q is not a number of schedules", s)
		}
		budget.schedules = n
	}
	if s := os.Getenv("PROPTEST_BUDGET"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			return fmt.Errorf("PROPTEST_BUDGET=%q is not a time, such as 1h", s)
		}
		budget.each = d * parallel / time.Duration(len(profiles))
	}
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if budget.each == 0 && !given["rapid.seed"] { // a change is judged by what it changes, and not by luck
		if err := flag.Set("rapid.seed", usualSearch); err != nil {
			return err
		}
	}
	if given["rapid.checks"] {
		budget.each = 0
		return nil
	}
	n := (budget.schedules + len(profiles) - 1) / len(profiles)
	if budget.each > 0 {
		n = 1000 // between two looks at the time
	}
	return flag.Set("rapid.checks", strconv.Itoa(n))
}

// parallel is how many properties are searched at a time: all of them, so that in the end no processor waits for the last one.
const parallel = 7

var turns = make(chan struct{}, parallel)

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
	turns <- struct{}{}
	defer func() { <-turns }()
	var n tally
	began := time.Now()
	for {
		rapid.Check(t, func(t *rapid.T) { one(t, p, &n) })
		if t.Failed() || time.Since(began) >= budget.each {
			break
		}
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
			defer func() { n.hash = n.hash*31 + d.w.Hash() }()
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
