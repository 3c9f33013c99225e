package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// rows are those of a step: the peers that take part, on each file system.
func (b *bench) rows(s step) []row {
	var rows []row
	for _, p := range b.peers {
		for _, profile := range p.Profiles {
			if p.missing != "" || !p.takes(s.test) || !s.wants(p.Name, profile) {
				continue
			}
			// The settings are those of waiting and of heartbeats: they do not matter to one who is alone.
			if s.test == "uncontended" && profile == "fast" {
				continue
			}
			for _, at := range b.places {
				if s.fs == "" || s.fs == at.fs {
					rows = append(rows, row{step: s, peer: p, profile: profile, place: at})
				}
			}
		}
	}
	return rows
}

func (s step) wants(name, profile string) bool {
	return len(s.peers) == 0 || slices.Contains(s.peers, name) || slices.Contains(s.peers, name+":"+profile)
}

// wanted are the names of the peers that the steps ask for.
func (b *bench) wanted(steps []step) []string {
	var names []string
	for _, p := range b.peers {
		asked := slices.ContainsFunc(steps, func(s step) bool {
			return len(s.peers) == 0 || slices.ContainsFunc(s.peers, func(name string) bool {
				name, _, _ = strings.Cut(name, ":")
				return name == p.Name
			})
		})
		if asked {
			names = append(names, p.Name)
		}
	}
	return names
}

// run measures one step. Repetitions go round the rows, so that what else the machine does hits all of them.
func (b *bench) run(s step) error {
	s = s.filled()
	rows := b.rows(s)
	if len(rows) == 0 {
		return fmt.Errorf("%s: nobody to measure", s.test)
	}
	m := tests[s.test]
	recs := make([]record.Record, len(rows))
	for i, r := range rows {
		recs[i] = r.record()
	}
	reps := 1
	if m.sample != nil {
		reps = s.reps
	}
	var mu sync.Mutex // guards recs' samples and failures
	failures := make([]error, len(rows))
	left := slices.Repeat([]int{reps}, len(rows))
	lane := make(chan struct{}, s.lanes)
	var all sync.WaitGroup
	for range reps {
		for i, r := range rows {
			lane <- struct{}{}
			all.Go(func() {
				defer func() { <-lane }()
				var took int64
				var err error
				if m.sample != nil {
					took, err = m.sample(b, r)
				} else {
					err = m.whole(b, r, &recs[i])
				}
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failures[i] = errors.Join(failures[i], err)
				} else if m.sample != nil {
					recs[i].Samples = append(recs[i].Samples, took)
				}
				if left[i]--; left[i] == 0 {
					failures[i] = errors.Join(failures[i], b.done(r, recs[i], failures[i]))
				}
			})
		}
	}
	all.Wait()
	return errors.Join(failures...)
}

// done keeps a row that was measured, or why it could not be.
func (b *bench) done(r row, rec record.Record, failed error) error {
	rec.Load = load()
	if failed != nil {
		rec.Failed = strings.ReplaceAll(failed.Error(), "\n", "; ")
		fmt.Fprintf(os.Stderr, "FAILED %s: %s\n", r, rec.Failed)
	} else {
		fmt.Fprintf(os.Stderr, "%4.0fs done %s\n", time.Since(b.began).Seconds(), r)
	}
	return b.log.Add(rec)
}
