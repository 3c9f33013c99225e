package main

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
)

// What is measured between a holder and a waiter in another process.

// pair starts a holder and a waiter, and lets it wait for a while. Whoever calls it ends both.
func (b *bench) pair(r row) (holder, waiter *worker.Worker, dir string, err error) {
	dir, err = func() (string, error) {
		b.quiet.Lock()
		defer b.quiet.Unlock()
		dir, err := r.place.dir()
		if err != nil {
			return "", err
		}
		if holder, err = b.started(r, dir, "hold", "ACQ"); err != nil {
			return "", err
		}
		if waiter, err = b.started(r, dir, "wait", "WAIT"); err != nil {
			holder.Kill()
		}
		return dir, err
	}()
	if err == nil {
		// Not always the same wait, so that it keeps no step with anybody's polls or heartbeats.
		time.Sleep(r.settle + rand.N(300*time.Millisecond))
	}
	return holder, waiter, dir, err
}

// A turn is a hold on the machine's quiet that can be given up early.
type turn struct {
	b    *bench
	over bool
}

func (b *bench) turn() *turn {
	b.quiet.Lock()
	return &turn{b: b}
}

func (t *turn) end() {
	if !t.over {
		t.over = true
		t.b.quiet.Unlock()
	}
}

// acquired waits for the worker to have the lock. After a while it lets others go on: what takes so long is not spoilt by a
// process that starts.
func (t *turn) acquired(w *worker.Worker, limit time.Duration) (int64, error) {
	const while = 250 * time.Millisecond
	at, err := w.Expect("ACQ", while)
	if errors.Is(err, worker.ErrLate) {
		t.end()
		at, err = w.Expect("ACQ", limit-while)
	}
	return at, err
}

// since is the sample: from t to the acquisition, or never.
func since(t, acquired int64, err error) (int64, error) {
	if errors.Is(err, worker.ErrLate) {
		return record.Never, nil
	}
	if err != nil {
		return 0, err
	}
	return acquired - t, nil
}

// handoff is from the call of release to the return of acquire.
func (b *bench) handoff(r row) (int64, error) {
	holder, waiter, _, err := b.pair(r)
	if err != nil {
		return 0, err
	}
	t := b.turn()
	defer t.end()
	defer holder.Finish()
	defer waiter.Finish()
	holder.Send("")
	released, err := holder.Expect("REL", startLimit)
	if err != nil {
		return 0, err
	}
	at, err := t.acquired(waiter, r.limit)
	return since(released, at, err)
}

// crash is from SIGKILL to the holder until a waiter has the lock that had seen it held.
func (b *bench) crash(r row) (int64, error) {
	holder, waiter, _, err := b.pair(r)
	if err != nil {
		return 0, err
	}
	t := b.turn()
	defer t.end()
	defer waiter.Finish()
	killed := holder.Kill()
	at, err := t.acquired(waiter, r.limit)
	return since(killed, at, err)
}

// newcomer is from SIGKILL to the holder until somebody has the lock who started after it, the start included.
func (b *bench) newcomer(r row) (int64, error) {
	b.quiet.Lock()
	dir, err := r.place.dir()
	if err != nil {
		b.quiet.Unlock()
		return 0, err
	}
	holder, err := b.started(r, dir, "hold", "ACQ")
	b.quiet.Unlock()
	if err != nil {
		return 0, err
	}
	time.Sleep(r.settle + rand.N(time.Second)) // anywhere between two heartbeats
	t := b.turn()
	defer t.end()
	killed := holder.Kill()
	comer, err := b.started(r, dir, "wait", "WAIT")
	if err != nil {
		return 0, err
	}
	defer comer.Finish()
	at, err := t.acquired(comer, r.limit)
	return since(killed, at, err)
}
