package kit

// The roles that acquire in one goroutine.

import (
	"fmt"
	"os"
)

// uncontended prints the mean time of one acquire and release, after some rounds to warm up.
func (s *session) uncontended(args []int) error {
	loop := func(n int) error {
		for range n {
			release, err := s.Acquire(s.path)
			if err != nil {
				return err
			}
			if err := release(); err != nil {
				return err
			}
		}
		return nil
	}
	n := args[0]
	if err := loop(n/10 + 1); err != nil {
		return err
	}
	began := Now()
	if err := loop(n); err != nil {
		return err
	}
	say("NSOP", (Now()-began)/int64(n))
	return nil
}

// hold acquires, and releases at a line of input. The stamp of the release is taken just before it, and printed after it:
// printing would give the waiter a start.
func (s *session) hold([]int) error {
	release, err := s.Acquire(s.path)
	if err != nil {
		return err
	}
	say("ACQ", Now())
	s.in.Scan()
	t := Now()
	err = release()
	say("REL", t)
	return err
}

// wait acquires and releases, once, or with a gate again for each start time.
func (s *session) wait([]int) error {
	for s.gate() {
		say("WAIT", Now())
		if release, err := s.Acquire(s.path); err != nil {
			say("ERR", oneLine(err))
		} else if err := s.had(Now(), release); err != nil {
			return err
		}
		say("DONE", Now())
		if !s.gated {
			break
		}
	}
	return nil
}

func (s *session) had(at int64, release func() error) error {
	say("ACQ", at)
	if s.witness != "" {
		alone, err := s.inside()
		if err != nil {
			return err
		}
		if !alone {
			say("VIOL", at)
		}
	}
	if err := release(); err != nil {
		say("RELERR", oneLine(err))
	}
	return nil
}

// contend acquires as often as it can for so many seconds.
func (s *session) contend(args []int) error {
	if !s.gate() {
		return nil
	}
	var c count
	for end := Now() + int64(args[0])*1e9; Now() < end; {
		if _, err := s.once(&c); err != nil {
			return err
		}
	}
	say("COUNT", c)
	return nil
}

// count is what came of many sections.
type count struct{ sections, violations, errors int }

func (c count) String() string { return fmt.Sprint(c.sections, c.violations, c.errors) }

// once goes through one guarded section and returns how long it waited, in ns; 0 if it did not get in.
func (s *session) once(c *count) (waited int64, err error) {
	began := Now()
	release, err := s.Acquire(s.path)
	waited = Now() - began
	if err != nil {
		fmt.Fprintln(os.Stderr, "acquire:", err)
		c.errors++
		return 0, nil
	}
	c.sections++
	alone, err := s.inside()
	if err != nil {
		return 0, err
	}
	if !alone {
		c.violations++
	}
	if err := release(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		c.errors++
	}
	return waited, nil
}
