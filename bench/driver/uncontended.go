package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// uncontended runs the floor before each run of the peer, so that what else the machine does hits both.
func (b *bench) uncontended(r row, rec *record.Record) error {
	i := slices.IndexFunc(b.peers, func(p peer) bool { return p.Kind == "floor" })
	if i < 0 {
		return fmt.Errorf("no peer is the floor")
	}
	floor := r
	floor.peer, floor.profile = b.peers[i], "default"
	for range r.reps {
		bare, err := b.cycles(floor)
		if err != nil {
			return err
		}
		took, err := b.cycles(r)
		if err != nil {
			return err
		}
		rec.Floor, rec.Samples = append(rec.Floor, bare), append(rec.Samples, took)
	}
	return nil
}

// uncontendedFor is how long a run takes: some thousands of cycles, and a hundred of a command.
const uncontendedFor = 300 * time.Millisecond

func (b *bench) cycles(r row) (int64, error) {
	dir, err := r.place.dir()
	if err != nil {
		return 0, err
	}
	w, err := b.start(r, dir, nil, "uncontended", strconv.Itoa(int(uncontendedFor/time.Millisecond)))
	if err != nil {
		return 0, err
	}
	defer w.Finish()
	return w.Expect("NSOP", 2*time.Minute)
}
