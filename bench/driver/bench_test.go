package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// bin has the workers that need nothing but Go, and nolock.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if bin, err = os.MkdirTemp("", "driver"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(bin)
		build := exec.Command("go", "build", "-o", bin+"/", "../workers/mkdirlock", "../workers/flock", "../workers/floor", "./testdata/nolock")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, build, err)
			return 1
		}
		return m.Run()
	}())
}

// small is a bench with those workers, on the file system of the tests' own directory.
func small(t *testing.T) *bench {
	t.Helper()
	errlog, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := record.Create(filepath.Join(t.TempDir(), "results"), "test")
	if err != nil {
		t.Fatal(err)
	}
	at, err := newPlace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		at.remove()
		errlog.Close()
		log.Close()
	})
	b := &bench{bin: bin, places: []*place{at}, log: log, errlog: errlog, began: time.Now()}
	for _, p := range []peer{
		{Name: "mkdirlock", Kind: "own", Profiles: []string{"fast"}, Also: special},
		{Name: "flock", Kind: "kernel", Profiles: []string{"fast"}, Also: special[:1]},
		{Name: "floor", Kind: "floor", Profiles: []string{"default"}, Only: []string{"uncontended", "held"}},
		{Name: "nolock", Kind: "none", Profiles: []string{"fast"}, Also: special[:1]},
	} {
		p.Go, p.N = p.Name, 20
		b.peers = append(b.peers, p)
	}
	return b
}

// measured runs a step and returns its rows by peer.
func measured(t *testing.T, b *bench, s step) map[string]record.Record {
	t.Helper()
	if err := b.run(s); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(b.log.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	byPeer := map[string]record.Record{}
	for _, r := range record.Of(all, "test") {
		if r.Test == s.test {
			byPeer[r.Peer] = r
		}
	}
	return byPeer
}

// samplesOf checks that a peer was measured as often as it should be.
func samplesOf(t *testing.T, rows map[string]record.Record, peer string, n int) []int64 {
	t.Helper()
	r, ok := rows[peer]
	if !ok || r.Failed != "" || len(r.Samples) != n {
		t.Fatalf("%s: %+v, want %d samples", peer, r, n)
	}
	return r.Samples
}

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
	b.peers = []peer{{Name: "stuck", Kind: "none", Cmd: []string{"sh", "testdata/stuck.sh"}, Profiles: []string{"default"}, N: 1}}
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
	b.peers = append(b.peers[:2], peer{Name: "broken", Kind: "none", Cmd: []string{"sh", "-c", "echo ERR no luck"}, Profiles: []string{"fast"}, N: 1})
	if err := b.run(step{test: "handoff", reps: 1, settle: time.Millisecond}); err == nil {
		t.Error("a failure is no error of the run")
	}
	rows := measured(t, b, step{test: "handoff", reps: 1, settle: time.Millisecond, peers: []string{"flock"}})
	if r := rows["broken"]; !strings.Contains(r.Failed, "no luck") {
		t.Errorf("%+v", r)
	}
	samplesOf(t, rows, "mkdirlock", 1)
}
