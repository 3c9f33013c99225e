package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
	"github.com/aac6cccc/mkdirlock/bench/kit"
)

// gated starts workers that wait for a common starting time, and returns when all are ready.
func (b *bench) gated(r row, dir string, section time.Duration, args ...string) (ws []*worker.Worker, err error) {
	defer func() {
		if err != nil {
			killAll(ws)
		}
	}()
	env := []string{"LOCK_GATE=1", "LOCK_WITNESS=" + witnessOf(dir), "LOCK_SECTION_US=" + strconv.FormatInt(section.Microseconds(), 10)}
	for range r.procs {
		w, err := b.start(r, dir, env, args...)
		if err != nil {
			return ws, err
		}
		ws = append(ws, w)
	}
	for _, w := range ws {
		if _, err := w.Expect("READY", time.Minute); err != nil {
			return ws, err
		}
	}
	return ws, nil
}

// open tells the workers when to start, and returns that.
func open(ws []*worker.Worker) int64 {
	const ahead = 30 * time.Millisecond // by then all have read it
	at := kit.Now() + ahead.Nanoseconds()
	for _, w := range ws {
		w.Send(strconv.FormatInt(at, 10))
	}
	return at
}

func killAll(ws []*worker.Worker) {
	for _, w := range ws {
		w.Kill()
	}
}

// until is how long it is to a time of kit.Now.
func until(t int64) time.Duration { return time.Duration(t - kit.Now()) }

// A tally is a worker's COUNT line.
type tally struct{ sections, violations, errors int64 }

func parseTally(line string) (c tally, err error) {
	if _, err := fmt.Sscanf(line, "COUNT %d %d %d", &c.sections, &c.violations, &c.errors); err != nil {
		return c, fmt.Errorf("%q: %w", line, err)
	}
	return c, nil
}
