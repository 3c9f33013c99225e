package main

import (
	"errors"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/kit"
)

// clock checks that the stamps of a worker and those of the driver are of one clock: without that no other figure counts.
func (b *bench) clock(r row, rec *record.Record) error {
	dir, err := r.place.dir()
	if err != nil {
		return err
	}
	before := kit.Now()
	w, err := b.start(r, dir, nil, "wait")
	if err != nil {
		return err
	}
	defer w.Finish()
	t, err := w.Expect("WAIT", startLimit)
	if err != nil {
		return err
	}
	after := kit.Now()
	rec.N["start_ms"], rec.N["pipe_us"] = float64(t-before)/1e6, float64(after-t)/1e3
	if t <= before || t >= after {
		return errors.New("the worker's clock is not the driver's")
	}
	return nil
}
