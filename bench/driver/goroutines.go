package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// goroutinesEach is how many goroutines a process has in that test.
const goroutinesEach = 32

// goroutines lets goroutines, in one process or in several, take turns of a millisecond, and compares their waits.
func (b *bench) goroutines(r row, rec *record.Record) error {
	dir, err := r.place.dir()
	if err != nil {
		return err
	}
	ws, err := b.gated(r, dir, time.Millisecond, "goroutines", strconv.Itoa(goroutinesEach), strconv.Itoa(r.secs))
	if err != nil {
		return err
	}
	defer os.Remove(witnessOf(dir))
	defer killAll(ws)
	const patience = 60 * time.Second
	late := open(ws) + (r.window() + patience).Nanoseconds()
	var waits []int64
	for _, w := range ws {
		for {
			line, err := w.Line(until(late))
			if err != nil {
				return err
			}
			if ns, ok := strings.CutPrefix(line, "TOOK "); ok {
				n, err := strconv.ParseInt(ns, 10, 64)
				if err != nil {
					return err
				}
				waits = append(waits, n)
				continue
			}
			c, err := parseTally(line)
			if err != nil {
				return err
			}
			rec.N["sections"] += float64(c.sections)
			rec.N["violations"] += float64(c.violations)
			rec.N["errors"] += float64(c.errors)
			break
		}
	}
	if len(waits) == 0 {
		return fmt.Errorf("nobody had the lock")
	}
	rec.N["median_ns"] = record.Quantile(waits, 0.5)
	rec.N["p99_ns"] = record.Quantile(waits, 0.99)
	rec.N["longest_ns"] = record.Quantile(waits, 1)
	rec.N["secs"] = float64(r.secs)
	return nil
}
