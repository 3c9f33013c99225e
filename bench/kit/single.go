package kit

// The roles that acquire in one goroutine.

import (
	"fmt"
	"os"
	"time"
)

// uncontended prints the mean time of one acquire and release in so many ms, after a tenth of that to warm up.
func (s *session) uncontended(args []int) error {
	loop := func(long time.Duration) (mean int64, err error) {
		began := time.Now()
		for n := int64(1); ; n++ {
			release, err := s.Acquire(s.path)
			if err != nil {
				return 0, err
			}
			if err := release(); err != nil {
				return 0, err
			}
			if took := time.Since(began); took >= long {
				return took.Nanoseconds() / n, nil
			}
		}
	}
	long := time.Duration(args[0]) * time.Millisecond
	if _, err := loop(long / 10); err != nil {
		return err
	}
	mean, err := loop(long)
	if err != nil {
		return err
	}
	say("NSOP", mean)
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
