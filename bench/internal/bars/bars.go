// Package bars has what mkdirlock is meant to reach, and judges the records of one run by it. Each bar is a multiple of what
// bare system calls took in the same run, or a number that does not depend on the machine.
package bars

import (
	"fmt"
	"slices"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// Whose rows are compared: all with the default profile.
const (
	own   = "mkdirlock"
	flock = "flock" // the floor of waiting: the kernel itself wakes the waiter
	floor = "floor" // the floor of everything else, and of waiting for a directory: bare system calls
	usual = "default"
)

// State is what became of a bar.
type State string

// Unmeasured is neither: a row is not there, or failed.
const (
	Met        State = "met"
	Missed     State = "missed"
	Unmeasured State = "not measured"
)

// A Verdict is one bar on one file system.
type Verdict struct {
	Bar, FS         string
	Measured, Limit string
	State           State
}

// An outcome is what a bar's judge found; an error means that it could not.
type outcome struct {
	measured, limit string
	met             bool
}

type bar struct {
	name  string
	judge func(scene) (outcome, error)
	fs    string // judged there only; empty: everywhere
}

// A scene is the records of one run on one file system.
type scene struct {
	rows record.Rows
	fs   string
}

// Judge holds the run against every bar on each of its file systems.
func Judge(rows record.Rows) []Verdict {
	var all []Verdict
	for _, b := range bars {
		for _, fs := range rows.FSs() {
			if b.fs != "" && b.fs != fs {
				continue
			}
			v := Verdict{Bar: b.name, FS: fs, State: Unmeasured}
			out, err := b.judge(scene{rows, fs})
			switch {
			case err != nil:
				v.Measured = err.Error()
			case out.met:
				v.State = Met
			default:
				v.State = Missed
			}
			if err == nil {
				v.Measured, v.Limit = out.measured, out.limit
			}
			all = append(all, v)
		}
	}
	return all
}

// row is a peer's row of a test, which must have been measured.
func (s scene) row(test, peer, variant string) (record.Record, error) {
	r, ok := s.rows.Get(record.Key{Test: test, Peer: peer, Profile: usual, FS: s.fs, Variant: variant})
	if !ok {
		return r, fmt.Errorf("no row of %s", peer)
	}
	if r.Failed != "" {
		return r, fmt.Errorf("%s failed", peer)
	}
	return r, nil
}

// number is a figure of a row, which must be there: what is absent is not nought.
func number(r record.Record, names ...string) (float64, error) {
	var sum float64
	for _, name := range names {
		v, ok := r.N[name]
		if !ok {
			return 0, fmt.Errorf("%s has no %q", r.Peer, name)
		}
		sum += v
	}
	return sum, nil
}

// rivals are the peers whose waiters replace a dead holder, as mkdirlock's do.
func (s scene) rivals(test, variant string) (rivals []record.Record) {
	for _, r := range s.rows.Test(test) {
		if r.FS == s.fs && r.Variant == variant && r.Failed == "" && s.rows.Kind(r.Peer) == "takeover" {
			rivals = append(rivals, r)
		}
	}
	return slices.Clip(rivals)
}
