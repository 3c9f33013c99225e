package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
)

// A bench is what the tests of one run share.
type bench struct {
	bin    string // the built workers
	peers  []peer
	places []*place
	log    *record.Log
	errlog *os.File // what workers write to standard error
	began  time.Time

	// quiet is held by whoever starts, ends or times something: rows that run at the same time do nothing but sleep meanwhile.
	quiet sync.Mutex
}

// A row is one peer with one profile on one file system, for one step of a suite.
type row struct {
	step
	peer    peer
	profile string
	place   *place
}

func (r row) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s/%s %s %s", r.test, r.peer.Name, r.profile, r.place.fs, r.variant()))
}

func (r row) record() record.Record {
	return record.Record{Test: r.test, Peer: r.peer.Name, Profile: r.profile, FS: r.place.fs, Variant: r.variant(), N: map[string]float64{}}
}

// start starts a worker in a role, on the lock that belongs to dir.
func (b *bench) start(r row, dir string, env []string, args ...string) (*worker.Worker, error) {
	env = append([]string{"LOCK_PATH=" + lockOf(dir), "LOCK_PROFILE=" + r.profile}, env...)
	w, err := worker.Start(b.argv(r.peer, args...), env, b.errlog)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", r.peer.Name, err)
	}
	return w, nil
}

func lockOf(dir string) string    { return dir + "/lock" }
func witnessOf(dir string) string { return dir + ".witness" }

// started starts a worker that says a word when it has got so far.
func (b *bench) started(r row, dir, role, word string) (*worker.Worker, error) {
	w, err := b.start(r, dir, nil, role)
	if err != nil {
		return nil, err
	}
	if _, err := w.Expect(word, startLimit); err != nil {
		w.Kill()
		return nil, fmt.Errorf("%s in role %s: %w", r.peer.Name, role, err)
	}
	return w, nil
}

// startLimit bounds what needs no waiting for anybody.
const startLimit = 30 * time.Second

func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	l, _ := strconv.ParseFloat(first, 64)
	return l
}
