package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// A step is one test with its settings. Zero fields mean the test's own.
type step struct {
	test   string
	peers  []string      // "NAME" or "NAME:PROFILE"; empty: all that take part
	fs     string        // one kind of file system; empty: all
	reps   int           // repetitions, or windows, or rounds
	lanes  int           // rows and repetitions at the same time
	procs  int           // processes, or locks
	secs   int           // seconds of running or watching
	settle time.Duration // how long before anything is timed
	limit  time.Duration // how long an acquisition may take
}

func (s step) window() time.Duration { return time.Duration(s.secs) * time.Second }

// variant tells rows of one test apart that have different settings.
func (s step) variant() string {
	switch s.test {
	case "handoff":
		return s.settle.String()
	case "crowd", "contend", "stampede", "goroutines", "held":
		return strconv.Itoa(s.procs)
	}
	return ""
}

// A test measures a row, either sample by sample or as a whole.
type test struct {
	defaults step
	sample   func(*bench, row) (int64, error)
	whole    func(*bench, row, *record.Record) error
}

// tests are by name; their settings are those that the bars in internal/bars speak of.
var tests = map[string]test{
	"clock":       {whole: (*bench).clock},
	"uncontended": {whole: (*bench).uncontended, defaults: step{reps: 5}},
	"handoff":     {sample: (*bench).handoff, defaults: step{reps: 100, lanes: 8, settle: short, limit: time.Minute}},
	"crash":       {sample: (*bench).crash, defaults: step{reps: 50, lanes: 8, settle: short, limit: time.Minute}},
	"newcomer":    {sample: (*bench).newcomer, defaults: step{reps: 10, lanes: 20, settle: short, limit: time.Minute}},
	"idle":        {whole: (*bench).idle, defaults: step{reps: 1, lanes: 10, secs: 10, settle: time.Second}},
	"calls":       {whole: (*bench).calls, defaults: step{lanes: 10, secs: 10, settle: time.Second}},
	"crowd":       {whole: (*bench).crowd, defaults: step{procs: 100, secs: 10, settle: 2 * time.Second}},
	"contend":     {whole: (*bench).contend, defaults: step{reps: 3, procs: 8, secs: 5}},
	"stampede":    {whole: (*bench).stampede, defaults: step{reps: 30, procs: 8}},
	"goroutines":  {whole: (*bench).goroutines, defaults: step{procs: 1, secs: 5}},
	"held":        {whole: (*bench).held, defaults: step{reps: 2, procs: 10_000, secs: 10, settle: 2 * time.Second, fs: "tmpfs"}},
}

const (
	short = 300 * time.Millisecond
	long  = 30 * time.Second
)

// filled is the step with the test's defaults.
func (s step) filled() step {
	d := tests[s.test].defaults
	fill(&s.fs, d.fs)
	fill(&s.reps, max(d.reps, 1))
	fill(&s.lanes, max(d.lanes, 1))
	fill(&s.procs, d.procs)
	fill(&s.secs, d.secs)
	fill(&s.settle, d.settle)
	fill(&s.limit, d.limit)
	return s
}

func fill[T comparable](field *T, otherwise T) {
	var zero T
	if *field == zero {
		*field = otherwise
	}
}

// heldBy are the workers with a heartbeat of a second, and the bare loop.
var heldBy = []string{"floor:default", "mkdirlock:default", "proper-lockfile:fast"}

// suites are what a run measures. The quick one takes some minutes, the full one half an hour.
var suites = map[string][]step{
	"quick": {
		{test: "clock", peers: few},
		{test: "uncontended", peers: append([]string{"floor"}, few...), reps: 3},
		{test: "handoff", peers: append([]string{"floor:default"}, few...), reps: 40},
		{test: "handoff", peers: pair, reps: 10, lanes: 40, settle: long},
		{test: "crash", peers: few, reps: 20},
		{test: "newcomer", peers: pair, reps: 5},
		{test: "idle", peers: few},
		{test: "calls", peers: few},
		{test: "crowd", peers: pair[:1]},
		{test: "contend", peers: few, reps: 1},
		{test: "stampede", peers: few, reps: 10},
		{test: "stampede", peers: few, reps: 10, procs: 32},
		{test: "goroutines", peers: pair, secs: 2},
		{test: "goroutines", peers: pair, secs: 2, procs: 8},
		{test: "held", peers: heldBy[:2], reps: 1},
	},
	"full": {
		{test: "clock"},
		{test: "uncontended", reps: 5},
		{test: "handoff", peers: brisk, reps: 50},
		{test: "handoff", peers: slow, reps: 10, lanes: 40},
		{test: "handoff", peers: pair, reps: 50, lanes: 50, settle: long},
		{test: "handoff", peers: others, reps: 5, lanes: 60, settle: long},
		{test: "crash", peers: brisk, reps: 50},
		{test: "crash", peers: slow, reps: 5, lanes: 60},
		{test: "newcomer", peers: pair},
		{test: "newcomer", peers: append(slices.Clone(rivals), slow...), reps: 5, lanes: 60},
		{test: "idle"},
		{test: "calls"},
		{test: "crowd", peers: append([]string{"mkdirlock", "flock"}, rivals...)},
		{test: "contend", reps: 1},
		{test: "stampede", peers: append([]string{"mkdirlock", "flock"}, rivals...)},
		{test: "stampede", peers: append([]string{"mkdirlock", "flock"}, rivals...), procs: 32},
		{test: "goroutines"},
		{test: "goroutines", procs: 8},
		{test: "held", peers: heldBy},
	},
}

var (
	pair   = []string{"mkdirlock:default", "flock"}
	few    = []string{"mkdirlock", "flock", "nightlyone:fast", "borg:fast"}
	rivals = []string{"proper-lockfile:fast", "borg:fast", "flufl.lock:fast", "nightlyone:fast"}
	brisk  = append([]string{"mkdirlock", "floor:default", "flock", "gofrs-flock", "lockedfile", "flock(1)"}, rivals...)
	// Who may not have it within a minute, or not at all, is asked less often.
	slow   = []string{"proper-lockfile:default", "borg:default", "flufl.lock:default", "nightlyone:default", "dotlockfile", "filelock-soft"}
	others = []string{"lockedfile", "proper-lockfile:default", "borg:default", "flufl.lock:default", "nightlyone:default", "dotlockfile:default"}
)
