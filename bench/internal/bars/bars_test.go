package bars

import (
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// good is a run on one file system that meets every bar, just: each figure is at its limit, or next to it.
func good(fs string) record.Rows {
	row := func(test, peer, variant string, n map[string]float64, samples ...int64) record.Record {
		return record.Record{Test: test, Peer: peer, Profile: usual, FS: fs, Variant: variant, N: n, Samples: samples}
	}
	type n = map[string]float64
	eight := n{"rounds": 30, "violated": 0, "acquired": 240, "procs": 8, "errors": 0}
	thirtyTwo := n{"rounds": 30, "violated": 0, "acquired": 960, "procs": 32, "errors": 0}
	turns := n{"longest_ns": 20 * ms, "median_ns": 1 * ms, "violations": 0, "errors": 0}
	return record.Rows{
		{Test: record.Peer, Peer: own, Info: map[string]string{"kind": "own"}},
		{Test: record.Peer, Peer: flock, Info: map[string]string{"kind": "kernel"}},
		{Test: record.Peer, Peer: "slow", Info: map[string]string{"kind": "takeover"}},
		{Test: record.Peer, Peer: "fast", Info: map[string]string{"kind": "takeover"}},
		row("handoff", own, shortWait, nil, 6, 6, 500), row("handoff", flock, shortWait, nil, 1, 1, 10), row("handoff", floor, shortWait, nil, 4, 4, 10),
		row("handoff", own, longWait, nil, 9, 9, 500), row("handoff", flock, longWait, nil, 2, 2, 10),
		row("crash", own, "", nil, 4, 4, 200), row("crash", flock, "", nil, 1, 1, 10),
		row("newcomer", own, "", nil, 2000*ms, 3200*ms),
		row("calls", own, "", n{"lock": 15, "files": 5, "other": 1000, "secs": 10}),
		row("idle", own, "", n{"secs": 5}, 0.9*ms, 0.9*ms, 8*ms),
		row("crowd", own, crowded, n{"percent": 0.99}),
		row("contend", own, hammering, n{"rate": 101, "violations": 0, "errors": 0, "stuck": 0, "died": 0}, 8, 18, 14, 12, 12, 12, 12, 12),
		row("contend", flock, hammering, n{"rate": 1000}, 1), row("contend", "slow", hammering, n{"rate": 50}, 1), row("contend", "fast", hammering, n{"rate": 100}, 1),
		row("stampede", own, "8", eight), row("stampede", own, "32", thirtyTwo),
		row("goroutines", own, "1", turns), row("goroutines", own, "8", turns),
		row("held", own, manyHeld, n{"threads": 64, "oldest_ms": 1999, "secs": 10}, 400), row("held", floor, manyHeld, n{"secs": 10}, 200),
	}
}

func states(t *testing.T, rows record.Rows) map[string]State {
	t.Helper()
	m := map[string]State{}
	for _, v := range Judge(rows) {
		if v.Measured == "" || (v.State != Unmeasured) != (v.Limit != "") {
			t.Errorf("a verdict without its figures: %+v", v)
		}
		m[v.Bar] = v.State
	}
	return m
}

func TestGoodRunMeetsEveryBar(t *testing.T) {
	for _, v := range Judge(good("tmpfs")) {
		if v.State != Met {
			t.Errorf("%+v", v)
		}
	}
	if n := len(Judge(good("tmpfs"))); n != len(bars) {
		t.Errorf("%d verdicts of %d bars", n, len(bars))
	}
}

// Each figure, made a little worse, misses exactly its bars.
func TestEachBarCanBeMissed(t *testing.T) {
	figure := func(test, variant, name string, v float64) func(record.Rows) {
		return func(rows record.Rows) {
			r := find(rows, test, own, variant)
			n := map[string]float64{name: v}
			for k, v := range r.N {
				if k != name {
					n[k] = v
				}
			}
			r.N = n
		}
	}
	samples := func(test, variant string, s ...int64) func(record.Rows) {
		return func(rows record.Rows) { find(rows, test, own, variant).Samples = s }
	}
	missedBy := map[string]bool{}
	for _, c := range []struct {
		spoil  func(record.Rows)
		missed string // beginnings of bars, by |
	}{
		{samples("handoff", shortWait, 7, 7, 500), "release → waiter, p50"},
		{samples("handoff", shortWait, 6, 6, 501), "release → waiter, p99"},
		{samples("handoff", shortWait, 6, 6, record.Never), "release → waiter, p99"},
		{samples("handoff", shortWait, record.Never, record.Never, 1), "release → waiter, p50|release → waiter, p99|no later"},
		{samples("handoff", longWait, 13, 13, 13), "release → waiter after 30 s, p50"},
		{samples("handoff", longWait, 9, 9, 501), "release → waiter after 30 s, p99"},
		{samples("handoff", shortWait, 2, 2, 2), "no later"},
		{samples("crash", "", 5, 5, 200), "SIGKILL → waiter, p50"},
		{samples("crash", "", 4, 4, 201), "SIGKILL → waiter, p99"},
		{samples("newcomer", "", 1, 3201*ms), "SIGKILL, then"},
		{samples("newcomer", "", 1, record.Never), "SIGKILL, then"},
		{figure("calls", "", "files", 6), "blocked: file-system calls"},
		{figure("calls", "", "lock", 16), "blocked: file-system calls"},
		{samples("idle", "", 1*ms, 1*ms, 0), "blocked: CPU"},
		{figure("crowd", crowded, "percent", 1), "100 waiters"},
		{figure("contend", hammering, "rate", 100), "contention: sections"},
		{figure("contend", hammering, "violations", 1), "contention: sections"},
		{figure("contend", hammering, "stuck", 1), "contention: sections"},
		{samples("contend", hammering, 7, 13, 13, 13, 13, 13, 14, 14), "contention: shares"},
		{samples("contend", hammering, 19, 9, 12, 12, 12, 12, 12, 12), "contention: shares"},
		{samples("contend", hammering, 0, 0), "contention: shares"},
		{figure("stampede", "8", "violated", 1), "stampede of 8"},
		{figure("stampede", "8", "acquired", 239), "stampede of 8"},
		{figure("stampede", "8", "errors", 1), "stampede of 8"},
		{figure("stampede", "8", "rounds", 0), "stampede of 8"},
		{figure("stampede", "32", "violated", 1), "stampede of 32"},
		{figure("goroutines", "1", "longest_ns", 20*ms+1), "32 goroutines"},
		{figure("goroutines", "1", "violations", 1), "32 goroutines"},
		{figure("goroutines", "8", "median_ns", 1*ms-1), "8 × 32 goroutines"},
		{samples("held", manyHeld, 401), "10,000 held: CPU"},
		{figure("held", manyHeld, "threads", 65), "10,000 held: threads"},
		{figure("held", manyHeld, "oldest_ms", 2000), "10,000 held: the oldest"},
	} {
		rows := good("tmpfs")
		c.spoil(rows)
		want := strings.Split(c.missed, "|")
		for name, state := range states(t, rows) {
			expected := slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(name, w) })
			if missed := state == Missed; missed != expected {
				t.Errorf("%s: %q is %s", c.missed, name, state)
			}
			if expected {
				missedBy[name] = true
			}
		}
	}
	for _, b := range bars {
		if !missedBy[b.name] {
			t.Errorf("nothing misses %q", b.name)
		}
	}
}

func find(rows record.Rows, test, peer, variant string) *record.Record {
	i := slices.IndexFunc(rows, func(r record.Record) bool { return r.Test == test && r.Peer == peer && r.Variant == variant })
	return &rows[i]
}

// What was not measured meets no bar, whichever row it is that lacks.
func TestWhatIsNotMeasuredIsNotMet(t *testing.T) {
	for i, r := range good("tmpfs") {
		if r.Test == record.Peer || r.Test == "contend" && r.Peer != own {
			continue
		}
		for what, spoil := range map[string]func(record.Rows) record.Rows{
			"without": func(rows record.Rows) record.Rows { return slices.Delete(rows, i, i+1) },
			"failed":  func(rows record.Rows) record.Rows { rows[i].Failed = "it broke"; return rows },
			"empty":   func(rows record.Rows) record.Rows { rows[i].N, rows[i].Samples = nil, nil; return rows },
		} {
			unmeasured := 0
			for _, state := range states(t, spoil(good("tmpfs"))) {
				if state == Unmeasured {
					unmeasured++
				}
			}
			if unmeasured == 0 {
				t.Errorf("%s %s of %s %s: all bars are judged", what, r.Test, r.Peer, r.Variant)
			}
		}
	}
}

func TestNobodyToBeAheadOf(t *testing.T) {
	rows := good("tmpfs")
	for _, peer := range []string{"slow", "fast"} {
		find(rows, "contend", peer, hammering).Failed = "it broke"
	}
	if state := states(t, rows)["contention: sections a second"]; state != Unmeasured {
		t.Errorf("ahead of nobody is %s", state)
	}
}

// Held locks are measured on tmpfs alone; every other bar on each file system.
func TestEachFileSystemIsJudged(t *testing.T) {
	both := append(good("ext4"), good("tmpfs")...)
	count := map[string]int{}
	for _, v := range Judge(both) {
		count[v.FS]++
	}
	if count["ext4"] != len(bars)-3 || count["tmpfs"] != len(bars) {
		t.Errorf("%v of %d bars", count, len(bars))
	}
}
