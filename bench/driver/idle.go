package main

import (
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
)

// idle is the processor time of one blocked waiter, in each of some windows.
func (b *bench) idle(r row, rec *record.Record) error {
	holder, waiter, _, err := b.pair(r)
	if err != nil {
		return err
	}
	defer b.end(waiter, holder)
	for range r.reps {
		before := worker.CPU(waiter)
		time.Sleep(r.window())
		rec.Samples = append(rec.Samples, worker.CPU(waiter)-before)
	}
	rec.N["secs"] = float64(r.secs)
	return nil
}

// calls counts what the same waiter asks of the kernel. It is a test of its own, since tracing costs processor time.
func (b *bench) calls(r row, rec *record.Record) error {
	holder, waiter, dir, err := b.pair(r)
	if err != nil {
		return err
	}
	defer b.end(waiter, holder)
	c, err := waiter.Trace(r.window(), lockOf(dir), dir+".strace")
	if err != nil {
		return err
	}
	rec.N["secs"] = float64(r.secs)
	rec.N["lock"], rec.N["files"], rec.N["other"] = float64(c.Lock), float64(c.Files), float64(c.Other)
	return nil
}

// end ends workers in that order: waiters first, so that none of them gets the lock.
func (b *bench) end(workers ...*worker.Worker) {
	b.quiet.Lock()
	defer b.quiet.Unlock()
	for _, w := range workers {
		w.Kill()
	}
}

// crowd is the processor time of many waiters, each in its own process.
func (b *bench) crowd(r row, rec *record.Record) error {
	dir, err := r.place.dir()
	if err != nil {
		return err
	}
	holder, err := b.started(r, dir, "hold", "ACQ")
	if err != nil {
		return err
	}
	var waiters []*worker.Worker
	defer func() { b.end(append(waiters, holder)...) }()
	for range r.procs {
		w, err := b.start(r, dir, nil, "wait")
		if err != nil {
			return err
		}
		waiters = append(waiters, w)
	}
	for _, w := range waiters {
		if _, err := w.Expect("WAIT", time.Minute); err != nil {
			return err
		}
	}
	time.Sleep(r.settle)
	all, one := worker.CPU(waiters...), worker.CPU(holder)
	began := time.Now()
	time.Sleep(r.window())
	all, one = worker.CPU(waiters...)-all, worker.CPU(holder)-one
	percent := 100 / float64(time.Since(began).Nanoseconds())
	rec.N["percent"], rec.N["holder_percent"] = float64(all)*percent, float64(one)*percent
	rec.N["procs"], rec.N["secs"] = float64(r.procs), float64(r.secs)
	return nil
}
