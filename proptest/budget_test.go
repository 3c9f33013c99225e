package proptest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"
)

// budget is how long or how far to search; see docs/testing.md.
var budget struct {
	each   time.Duration // how long each property is searched; 0: it is schedules that count
	checks int           // how many schedules of each; with a time, those between two looks at it
}

const (
	defaultSchedules = 7000
	shortSchedules   = defaultSchedules / 5
	betweenLooks     = 50
	usualSearch      = "1" // the seed, where none is given and no time to search for

	// spare is what a run must have beside the time to search: for the other tests, and to shrink what is found.
	spare = 3 * time.Minute
)

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400) // what a world needs is little, and soon gone
	if err := setBudget(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// setBudget takes PROPTEST_BUDGET=1h or PROPTEST_SCHEDULES=300000 from the environment. -rapid.checks, for each
// property, stands before both.
func setBudget() error {
	schedules, long, err := readBudget(os.Getenv)
	if err != nil {
		return err
	}
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case given["rapid.checks"]:
		budget.checks = flagValue[int]("rapid.checks")
		if testing.Short() {
			budget.checks /= 5 // as rapid does by itself
		}
	case long > 0:
		if given["rapid.seed"] {
			return fmt.Errorf("PROPTEST_BUDGET=%v draws other schedules all the time; -rapid.seed needs -rapid.checks, or no time at all", long)
		}
		if err := fits(long, flagValue[time.Duration]("test.timeout")); err != nil {
			return err
		}
		budget.each, budget.checks = long, betweenLooks
	default:
		budget.checks = (schedules + len(profiles) - 1) / len(profiles)
	}
	if budget.each == 0 && !given["rapid.seed"] { // a change is judged by what it changes, and not by luck
		if err := flag.Set("rapid.seed", usualSearch); err != nil {
			return err
		}
	}
	checks := budget.checks
	if testing.Short() {
		checks *= 5 // of which rapid takes a fifth
	}
	// All properties are searched at once, so that in the end no processor waits for the last one, and each has all the time.
	together := flagValue[int]("test.parallel")
	if flagValue[string]("test.fuzz") == "" { // of which it is how many processes look
		together = max(together, len(profiles))
	}
	return errors.Join(flag.Set("test.parallel", strconv.Itoa(together)), flag.Set("rapid.checks", strconv.Itoa(checks)))
}

func flagValue[T any](name string) T { return flag.Lookup(name).Value.(flag.Getter).Get().(T) }

// readBudget reads from an environment how many schedules to search, in all properties together, and for how long instead; 0: it
// does not say.
func readBudget(env func(string) string) (schedules int, long time.Duration, err error) {
	schedules = defaultSchedules
	if testing.Short() {
		schedules = shortSchedules
	}
	if s := env("PROPTEST_SCHEDULES"); s != "" {
		if schedules, err = strconv.Atoi(s); err != nil || schedules < 1 {
			return 0, 0, fmt.Errorf("PROPTEST_SCHEDULES=%q is not a number of schedules, such as 300000", s)
		}
	}
	if s := env("PROPTEST_BUDGET"); s != "" {
		if long, err = time.ParseDuration(s); err != nil || long <= 0 {
			return 0, 0, fmt.Errorf("PROPTEST_BUDGET=%q is not a time to search for, such as 1h", s)
		}
	}
	return schedules, long, nil
}

// fits says no if go test would kill the search before it has come to its end. Nothing in here could keep it from that: the
// go command has a clock of its own.
func fits(long, timeout time.Duration) error {
	if timeout == 0 || long <= timeout-spare {
		return nil
	}
	return fmt.Errorf("PROPTEST_BUDGET=%v does not fit into -timeout %v, of which other tests and the shrinking of a failure may take %v: "+
		"add -timeout 0, which is none", long, timeout, spare)
}
