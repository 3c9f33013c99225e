package kit

// The roles of many locks, or of many goroutines, in one process.

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync"
)

// goroutines lets N of them contend for so many seconds, and prints each wait. A wait that began in time is waited out,
// however long: the longest one is what is asked for.
func (s *session) goroutines(args []int) error {
	if !s.gate() {
		return nil
	}
	n := args[0]
	counts, waits, errs := make([]count, n), make([][]int64, n), make([]error, n)
	end := Now() + int64(args[1])*1e9
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for Now() < end && errs[i] == nil {
				var waited int64
				if waited, errs[i] = s.once(&counts[i]); waited > 0 {
					waits[i] = append(waits[i], waited)
				}
			}
		})
	}
	all.Wait()
	out := bufio.NewWriter(os.Stdout)
	var sum count
	for i := range n {
		for _, w := range waits[i] {
			fmt.Fprintln(out, "TOOK", w)
		}
		sum.sections += counts[i].sections
		sum.violations += counts[i].violations
		sum.errors += counts[i].errors
	}
	if err := out.Flush(); err != nil {
		return err
	}
	say("COUNT", sum)
	return errors.Join(errs...)
}

// held acquires N locks, keeps them until a line of input, and releases them.
func (s *session) held(args []int) error {
	var paths []string
	var releases []func() error
	for i := range args[0] {
		path := fmt.Sprintf("%s-%d", s.path, i)
		release, err := s.Acquire(path)
		if err != nil {
			return err
		}
		paths, releases = append(paths, path), append(releases, release)
	}
	failed := make(chan error, 1)
	if s.Keep != nil {
		go func() { failed <- s.Keep(paths) }()
	}
	say("ACQ", Now())
	told := make(chan bool, 1)
	go func() { told <- s.in.Scan() }()
	select {
	case err := <-failed:
		return err
	case <-told:
	}
	var errs []error
	for _, release := range releases {
		errs = append(errs, release())
	}
	say("REL", Now())
	return errors.Join(errs...)
}
