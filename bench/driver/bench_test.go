package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

func TestClockAndUncontended(t *testing.T) {
	t.Parallel()
	b := small(t)
	if rows := measured(t, b, step{test: "clock"}); len(rows) != 3 {
		t.Errorf("clocks of %v", rows)
	}
	rows := measured(t, b, step{test: "uncontended", reps: 2})
	samplesOf(t, rows, "floor", 2)
	if len(rows["floor"].Ratios()) != 2 {
		t.Errorf("%+v has no floor", rows["floor"])
	}
	if len(rows) != 1 {
		t.Errorf("%v: fast settings do not matter to one who is alone", rows)
	}
}

// What is between two processes: a handoff comes after the release, a crash's end after the kill.
func TestPairs(t *testing.T) {
	t.Parallel()
	both := []string{"mkdirlock", "flock"}
	for _, s := range []step{
		{test: "handoff", reps: 2, settle: time.Millisecond},
		{test: "crash", reps: 2, settle: time.Millisecond},
		{test: "newcomer", reps: 2, settle: time.Millisecond},
	} {
		t.Run(s.test, func(t *testing.T) {
			t.Parallel()
			s.peers = both
			rows := measured(t, small(t), s)
			for _, peer := range both {
				for _, ns := range samplesOf(t, rows, peer, 2) {
					if ns <= 0 {
						t.Errorf("%s had it %d ns after it was free", peer, ns)
					}
				}
			}
		})
	}
}

// A lock that is never free again is never had, and that is a result.
func TestNeverIsASample(t *testing.T) {
	t.Parallel()
	b := small(t)
	b.peers = []peer{{Name: "stuck", Kind: "none", Cmd: []string{"sh", "testdata/stuck.sh"}, Profiles: []string{"default"}}}
	rows := measured(t, b, step{test: "crash", reps: 1, settle: time.Millisecond, limit: 1100 * time.Millisecond})
	if s := samplesOf(t, rows, "stuck", 1); s[0] != record.Never {
		t.Errorf("%v, want never", s)
	}
}

func TestIdleAndCrowd(t *testing.T) {
	t.Parallel()
	b := small(t)
	one := []string{"flock"}
	rows := measured(t, b, step{test: "idle", secs: 1, reps: 2, settle: time.Millisecond, peers: one})
	samplesOf(t, rows, "flock", 2)
	crowd := measured(t, b, step{test: "crowd", secs: 1, procs: 5, settle: time.Millisecond, peers: one})["flock"]
	if _, ok := crowd.N["percent"]; !ok || crowd.Failed != "" || crowd.N["procs"] != 5 {
		t.Errorf("%+v", crowd)
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace: calls are not counted")
	}
	calls := measured(t, b, step{test: "calls", secs: 1, settle: time.Millisecond, peers: []string{"mkdirlock", "flock"}})
	if r := calls["flock"]; r.Failed != "" || r.N["lock"] > 1 || r.N["files"] > 0 {
		t.Errorf("flock(2) sleeps in one call: %+v", r)
	}
	if r := calls["mkdirlock"]; r.Failed != "" || r.N["secs"] != 1 {
		t.Errorf("%+v", r)
	}
}

// Locks keep others out of the section, and nolock is caught at it, by each test that looks.
func TestTwoHoldersAreSeen(t *testing.T) {
	t.Parallel()
	for _, s := range []step{
		{test: "contend", procs: 4, secs: 1, reps: 1},
		{test: "stampede", procs: 4, reps: 3},
		{test: "goroutines", procs: 2, secs: 1},
	} {
		t.Run(s.test, func(t *testing.T) {
			t.Parallel()
			b := small(t)
			rows := measured(t, b, s)
			for _, peer := range []string{"mkdirlock", "flock", "nolock"} {
				r := rows[peer]
				if r.Failed != "" {
					t.Fatalf("%s: %s", peer, r.Failed)
				}
				bad, ok := r.N["violations"]
				if s.test == "stampede" {
					bad, ok = r.N["violated"]
					if r.N["rounds"] != 3 || r.N["acquired"] != 12 || len(r.Samples) != 3 {
						t.Errorf("%s: %+v, want 3 rounds of 4", peer, r)
					}
				} else if r.N["sections"]+r.N["rate"] <= 0 {
					t.Errorf("%s: %+v: nobody got in", peer, r)
				}
				if !ok || (bad > 0) != (peer == "nolock") {
					t.Errorf("%s: %+v: two holders are seen in nolock alone", peer, r)
				}
			}
		})
	}
}

func TestHeldLocksAreKept(t *testing.T) {
	t.Parallel()
	b := small(t)
	rows := measured(t, b, step{test: "held", procs: 30, secs: 1, reps: 1, fs: b.places[0].fs, settle: time.Millisecond})
	for _, peer := range []string{"mkdirlock", "floor"} {
		if s := samplesOf(t, rows, peer, 1); s[0] <= 0 {
			t.Errorf("%s beats for nothing: %v", peer, s)
		}
		if r := rows[peer]; r.N["files"] != 30 || r.N["threads"] < 1 || r.N["oldest_ms"] <= 0 {
			t.Errorf("%s: %+v", peer, r)
		}
	}
}

// A row that cannot be measured says why, and the others are measured.
func TestFailureIsKept(t *testing.T) {
	t.Parallel()
	b := small(t)
	b.peers = append(b.peers[:2], peer{Name: "broken", Kind: "none", Cmd: []string{"sh", "-c", "echo ERR no luck"}, Profiles: []string{"fast"}})
	if err := b.run(step{test: "handoff", reps: 1, settle: time.Millisecond}); err == nil {
		t.Error("a failure is no error of the run")
	}
	rows := measured(t, b, step{test: "handoff", reps: 1, settle: time.Millisecond, peers: []string{"flock"}})
	if r := rows["broken"]; !strings.Contains(r.Failed, "no luck") {
		t.Errorf("%+v", r)
	}
	samplesOf(t, rows, "mkdirlock", 1)
}

// The lock before a stampede is a dead one's and an hour old, and each round has it again as it was.
func TestDeadLockIsOldAndLaidAnew(t *testing.T) {
	t.Parallel()
	b := small(t)
	dir, err := b.places[0].dir()
	if err != nil {
		t.Fatal(err)
	}
	r := row{step: step{test: "stampede"}, peer: b.peers[0], profile: "fast", place: b.places[0]}
	dead := dir + ".dead"
	if err := b.leaveDead(r, dir, dead); err != nil {
		t.Fatal(err)
	}
	stamps := func() []string {
		found, err := filepath.Glob(lockOf(dir) + "/*")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	first := stamps()
	if err := os.WriteFile(lockOf(dir)+"/another", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := lay(dead, dir); err != nil {
		t.Fatal(err)
	}
	again := stamps()
	if len(first) != 1 || !slices.Equal(first, again) {
		t.Fatalf("%v, and then %v", first, again)
	}
	info, err := os.Stat(again[0])
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(info.ModTime()); age < 59*time.Minute {
		t.Errorf("it is %v old", age)
	}
}
