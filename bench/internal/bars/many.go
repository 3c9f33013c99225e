package bars

import (
	"errors"
	"fmt"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// The bars of many processes, and of many locks.

// ahead compares with the fastest peer that replaces dead holders, whatever its settings.
func ahead(s scene) (outcome, error) {
	r, err := s.row("contend", own, hammering)
	if err != nil {
		return outcome{}, err
	}
	rate, err := number(r, "rate")
	if err != nil {
		return outcome{}, err
	}
	rivals := s.rivals("contend", hammering)
	if len(rivals) == 0 {
		return outcome{}, errors.New("no peer with takeover")
	}
	var best record.Record
	for _, rival := range rivals {
		if rival.N["rate"] > best.N["rate"] {
			best = rival
		}
	}
	bad, err := number(r, "violations", "errors", "stuck", "died")
	if err != nil {
		return outcome{}, err
	}
	o := outcome{
		measured: fmt.Sprintf("%.0f", rate),
		limit:    fmt.Sprintf("over %.0f (%s, %s)", best.N["rate"], best.Peer, best.Profile),
		met:      rate > best.N["rate"] && bad == 0,
	}
	if bad > 0 {
		o.measured += fmt.Sprintf(", and %.0f errors", bad)
	}
	return o, nil
}

func shares(s scene) (outcome, error) {
	r, err := s.row("contend", own, hammering)
	if err != nil {
		return outcome{}, err
	}
	if len(r.Samples) == 0 {
		return outcome{}, errors.New("no samples")
	}
	least, largest := r.Shares() // not a number, and so not within, if nobody had it
	return outcome{
		measured: fmt.Sprintf("%.1f to %.1f %%", least, largest),
		limit:    "8 to 18 %",
		met:      least >= 8 && largest <= 18,
	}, nil
}

func stampede(procs string) func(scene) (outcome, error) {
	return func(s scene) (outcome, error) {
		r, err := s.row("stampede", own, procs)
		if err != nil {
			return outcome{}, err
		}
		var n [5]float64
		for i, name := range []string{"rounds", "violated", "acquired", "procs", "errors"} {
			if n[i], err = number(r, name); err != nil {
				return outcome{}, err
			}
		}
		rounds, violated, acquired, all, errs := n[0], n[1], n[2], n[0]*n[3], n[4]
		o := outcome{
			measured: fmt.Sprintf("%.0f of %.0f rounds; %.0f of %.0f got it", violated, rounds, acquired, all),
			limit:    "0; all",
			met:      rounds > 0 && violated == 0 && acquired == all && errs == 0,
		}
		if errs > 0 {
			o.measured += fmt.Sprintf("; %.0f errors", errs)
		}
		return o, nil
	}
}

func goroutines(procs string) func(scene) (outcome, error) {
	return func(s scene) (outcome, error) {
		r, err := s.row("goroutines", own, procs)
		if err != nil {
			return outcome{}, err
		}
		longest, err1 := number(r, "longest_ns")
		median, err2 := number(r, "median_ns")
		bad, err3 := number(r, "violations", "errors")
		if err := errors.Join(err1, err2, err3); err != nil {
			return outcome{}, err
		}
		const times = 20
		o := outcome{
			measured: fmt.Sprintf("%.0f ms = %.1fx", longest/ms, longest/median),
			limit:    fmt.Sprintf("%dx the median of %.1f ms", times, median/ms),
			met:      longest <= times*median && bad == 0,
		}
		if bad > 0 {
			o.measured += fmt.Sprintf(", and %.0f errors", bad)
		}
		return o, nil
	}
}

func heldCPU(s scene) (outcome, error) {
	mine, err1 := s.row("held", own, manyHeld)
	bare, err2 := s.row("held", floor, manyHeld)
	if err := errors.Join(err1, err2); err != nil {
		return outcome{}, err
	}
	perSecond := func(r record.Record) (float64, error) {
		secs, err := number(r, "secs")
		if err == nil && len(r.Samples) == 0 {
			err = errors.New("no samples")
		}
		if err != nil {
			return 0, err
		}
		return record.Quantile(r.Samples, 0.5) / secs, nil
	}
	a, err1 := perSecond(mine)
	b, err2 := perSecond(bare)
	if err := errors.Join(err1, err2); err != nil {
		return outcome{}, err
	}
	const times = 2
	return outcome{
		measured: fmt.Sprintf("%.1f ms/s = %.1fx", a/ms, a/b),
		limit:    fmt.Sprintf("%dx the bare loop's %.1f ms/s", times, b/ms),
		met:      a <= times*b,
	}, nil
}
