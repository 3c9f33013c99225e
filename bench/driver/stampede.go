package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
	"github.com/aac6cccc/mkdirlock/bench/kit"
)

const (
	// roundLimit is how long a stampede may go without anybody getting the lock.
	roundLimit = 30 * time.Second
	// rowLimit is when no further round begins: some peers take half a minute for one.
	rowLimit = 3 * time.Minute
	// inside is how long a holder stays in, for others to be caught there.
	insideFor = 5 * time.Millisecond
)

// stampede lays the lock of a dead holder, long silent, before many waiters that start at once, again and again.
func (b *bench) stampede(r row, rec *record.Record) error {
	dir, err := r.place.dir()
	if err != nil {
		return err
	}
	dead := dir + ".dead"
	if err := b.leaveDead(r, dir, dead); err != nil {
		return err
	}
	var ws []*worker.Worker
	defer func() { killAll(ws) }()
	defer os.Remove(witnessOf(dir))
	began := time.Now()
	for rec.N["rounds"] < float64(r.reps) && rec.N["nobody"] < 2 && time.Since(began) < rowLimit {
		if ws == nil {
			if ws, err = b.gated(r, dir, insideFor, "wait"); err != nil {
				return err
			}
		}
		if err := lay(dead, dir); err != nil {
			return err
		}
		one, err := round(ws, b.errlog)
		if err != nil {
			return err
		}
		one.addTo(rec)
		if !one.complete {
			killAll(ws)
			ws = nil
		}
	}
	rec.N["procs"] = float64(r.procs)
	return nil
}

// leaveDead makes the lock of a killed holder, an hour old, and keeps a copy.
func (b *bench) leaveDead(r row, dir, copied string) error {
	holder, err := b.started(r, dir, "hold", "ACQ")
	if err != nil {
		return err
	}
	holder.Kill()
	old := time.Now().Add(-time.Hour)
	err = filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	})
	if err != nil {
		return err
	}
	return copyAll(dir, copied)
}

// copyAll keeps what the locks are made of: mtimes and hard links.
func copyAll(from, to string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	return nil
}

// lay puts the dead lock back into the directory, which stays the same one.
func lay(dead, dir string) error {
	os.Remove(witnessOf(dir)) // left by a worker that was killed inside
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return copyAll(dead+"/.", dir)
}

// A stormed is what came of one round.
type stormed struct {
	first, all         int64 // ns from the start; 0: nobody
	acquired           int
	violated, complete bool
	errors, died       int
}

func round(ws []*worker.Worker, errlog *os.File) (one stormed, err error) {
	at := open(ws)
	one.complete = true
	last := at
	for _, w := range ws {
		for done := false; !done; {
			line, err := w.Line(max(until(last), 0) + roundLimit)
			if err != nil {
				one.complete, done = false, true
				if errors.Is(err, worker.ErrEnd) {
					one.died++
				}
				continue
			}
			word, rest, _ := strings.Cut(line, " ")
			switch word {
			case "READY":
				done = true
			case "ACQ":
				t, err := strconv.ParseInt(rest, 10, 64)
				if err != nil {
					return one, err
				}
				if one.acquired == 0 || t-at < one.first {
					one.first = t - at
				}
				one.all = max(one.all, t-at)
				last = kit.Now()
				one.acquired++
			case "VIOL":
				one.violated = true
			case "ERR", "RELERR", "COMPROMISED":
				one.errors++
				fmt.Fprintln(errlog, "stampede:", line)
			}
		}
	}
	return one, nil
}

func (one stormed) addTo(rec *record.Record) {
	count := func(name string, n int) { rec.N[name] += float64(n) }
	flag := func(name string, is bool) { // nought is a figure too
		n := 0
		if is {
			n = 1
		}
		count(name, n)
	}
	count("rounds", 1)
	count("acquired", one.acquired)
	count("errors", one.errors)
	count("died", one.died)
	flag("violated", one.violated)
	flag("incomplete", !one.complete)
	flag("nobody", one.acquired == 0)
	if one.acquired == 0 {
		rec.Samples = append(rec.Samples, record.Never)
		return
	}
	rec.Samples = append(rec.Samples, one.first)
	rec.N["all_ms"] += float64(one.all) / 1e6
}
