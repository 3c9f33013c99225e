package main

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
)

// A bout is one run of processes that hammer on one lock.
type bout struct {
	sections           []int64 // by each process; 0 for one that did not report
	violations, errors int64
	stuck, died        int // still waiting long after the end; ended without a report
}

func (b bout) sum() (n int64) {
	for _, s := range b.sections {
		n += s
	}
	return n
}

// contend reports the bout with the median number of sections, and what went wrong in any.
func (b *bench) contend(r row, rec *record.Record) error {
	var bouts []bout
	for range r.reps {
		one, err := b.bout(r)
		if err != nil {
			return err
		}
		bouts = append(bouts, one)
		rec.N["violations"] += float64(one.violations)
		rec.N["errors"] += float64(one.errors)
		rec.N["stuck"] += float64(one.stuck)
		rec.N["died"] += float64(one.died)
	}
	slices.SortFunc(bouts, func(a, b bout) int { return cmp.Compare(a.sum(), b.sum()) })
	middle := bouts[(len(bouts)-1)/2]
	rec.Samples = middle.sections
	rec.N["rate"] = float64(middle.sum()) / float64(r.secs)
	rec.N["secs"], rec.N["bouts"] = float64(r.secs), float64(len(bouts))
	return nil
}

func (b *bench) bout(r row) (one bout, err error) {
	dir, err := r.place.dir()
	if err != nil {
		return one, err
	}
	ws, err := b.gated(r, dir, 0, "contend", strconv.Itoa(r.secs))
	if err != nil {
		return one, err
	}
	defer os.Remove(witnessOf(dir))
	const patience = 25 * time.Second
	late := open(ws) + (r.window() + patience).Nanoseconds()
	for _, w := range ws {
		line, err := lineWith(w, "COUNT", late)
		if err != nil {
			if errors.Is(err, worker.ErrLate) {
				one.stuck++
			} else {
				one.died++
			}
			w.Kill()
			one.sections = append(one.sections, 0)
			continue
		}
		c, err := parseTally(line)
		if err != nil {
			return one, err
		}
		one.sections = append(one.sections, c.sections)
		one.violations += c.violations
		one.errors += c.errors
		w.Finish()
	}
	return one, nil
}

// lineWith reads on to the line that begins with a word.
func lineWith(w *worker.Worker, word string, end int64) (string, error) {
	for {
		line, err := w.Line(until(end))
		if err != nil || strings.HasPrefix(line, word+" ") {
			return line, err
		}
	}
}
