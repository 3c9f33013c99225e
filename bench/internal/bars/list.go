package bars

import (
	"errors"
	"fmt"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// The variants of rows that bars speak of.
const (
	shortWait = "300ms"
	longWait  = "30s"
	crowded   = "100"   // processes that wait
	hammering = "8"     // processes that contend
	manyHeld  = "10000" // locks
)

const (
	ms = 1e6 // ns

	heartbeat = 1000 * ms // of the default profile
	poll      = 200 * ms  // the longest sleep between two looks
)

var bars = []bar{
	{name: "release → waiter, p50", judge: quantile("handoff", shortWait, 0.5, 6)},
	{name: "release → waiter, p50, beside a bare directory", judge: beside(floor, "handoff", shortWait, 0.5, 1.5)},
	{name: "release → waiter, p99", judge: quantile("handoff", shortWait, 0.99, 50)},
	{name: "release → waiter after 30 s, p50", judge: quantile("handoff", longWait, 0.5, 6)},
	{name: "release → waiter after 30 s, p99", judge: quantile("handoff", longWait, 0.99, 50)},
	{name: "no later after 30 s than after 0.3 s", judge: noLater},
	{name: "SIGKILL → waiter, p50", judge: quantile("crash", "", 0.5, 4)},
	{name: "SIGKILL → waiter, p99", judge: quantile("crash", "", 0.99, 20)},
	{name: "SIGKILL, then a newcomer: the longest", judge: newcomer},
	{name: "blocked: file-system calls a second", judge: calls},
	{name: "blocked: CPU in 10 s", judge: idle},
	{name: "100 waiters: CPU of all", judge: below("crowd", crowded, "percent", 1, "%.2f %% of a core")},
	{name: "contention: sections a second", judge: ahead},
	{name: "contention: shares of 8 processes", judge: shares},
	{name: "stampede of 8: rounds with two holders, and who got it", judge: stampede("8")},
	{name: "stampede of 32: rounds with two holders, and who got it", judge: stampede("32")},
	{name: "32 goroutines: longest wait", judge: goroutines("1")},
	{name: "8 × 32 goroutines: longest wait", judge: goroutines("8")},
	{name: "10,000 held: CPU", judge: heldCPU, fs: "tmpfs"},
	{name: "10,000 held: threads", judge: atMost("held", manyHeld, "threads", 64, "%.0f"), fs: "tmpfs"},
	{name: "10,000 held: the oldest heartbeat", judge: below("held", manyHeld, "oldest_ms", 2000, "%.0f ms"), fs: "tmpfs"},
}

// quantile compares with flock(2).
func quantile(test, variant string, q, times float64) func(scene) (outcome, error) {
	return beside(flock, test, variant, q, times)
}

// beside compares like with like: the quantile of mkdirlock's samples with that of a peer's.
func beside(peer, test, variant string, q, times float64) func(scene) (outcome, error) {
	return func(s scene) (outcome, error) {
		mine, theirs, err := s.quantiles(peer, test, variant, q)
		if err != nil {
			return outcome{}, err
		}
		o := outcome{limit: fmt.Sprintf("%gx %s's %.3f ms", times, named[peer], theirs/ms)}
		if mine == record.Never {
			o.measured = "never"
			return o, nil
		}
		o.measured = fmt.Sprintf("%.3f ms = %.1fx", mine/ms, mine/theirs)
		o.met = mine <= times*theirs
		return o, nil
	}
}

// named is how a limit names whom it is a multiple of.
var named = map[string]string{flock: "flock(2)", floor: "the bare calls"}

func (s scene) quantiles(peer, test, variant string, q float64) (mine, theirs float64, err error) {
	a, err1 := s.row(test, own, variant)
	b, err2 := s.row(test, peer, variant)
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, err
	}
	if len(a.Samples) == 0 || len(b.Samples) == 0 {
		return 0, 0, errors.New("no samples")
	}
	mine, theirs = record.Quantile(a.Samples, q), record.Quantile(b.Samples, q)
	if theirs <= 0 {
		return 0, 0, fmt.Errorf("%s never had it", named[peer])
	}
	return mine, theirs, nil
}

// noLater allows for what a machine that has slept for 30 s does to flock(2) too, and half as much again for luck.
func noLater(s scene) (outcome, error) {
	soon, soonFloor, err1 := s.quantiles(flock, "handoff", shortWait, 0.5)
	late, lateFloor, err2 := s.quantiles(flock, "handoff", longWait, 0.5)
	if err := errors.Join(err1, err2); err != nil {
		return outcome{}, err
	}
	limit := 1.5 * max(1, lateFloor/soonFloor)
	o := outcome{limit: fmt.Sprintf("%.1fx (flock(2): %.1fx)", limit, lateFloor/soonFloor), measured: "never"}
	if soon != record.Never && late != record.Never {
		o.measured = fmt.Sprintf("%.1fx", late/soon)
		o.met = late <= limit*soon
	}
	return o, nil
}

func newcomer(s scene) (outcome, error) {
	r, err := s.row("newcomer", own, "")
	if err == nil && len(r.Samples) == 0 {
		err = errors.New("no samples")
	}
	if err != nil {
		return outcome{}, err
	}
	const limit = 3*heartbeat + poll
	o := outcome{limit: fmt.Sprintf("%.1f s", limit/ms/1000), measured: "never"}
	if longest := record.Quantile(r.Samples, 1); longest != record.Never {
		o.measured = fmt.Sprintf("%.2f s", longest/ms/1000)
		o.met = longest <= limit
	}
	return o, nil
}

func calls(s scene) (outcome, error) {
	r, err := s.row("calls", own, "")
	if err != nil {
		return outcome{}, err
	}
	secs, err1 := number(r, "secs")
	n, err2 := number(r, "lock", "files")
	if err := errors.Join(err1, err2); err != nil {
		return outcome{}, err
	}
	return outcome{measured: fmt.Sprintf("%.1f", n/secs), limit: "2", met: n <= 2*secs}, nil
}

func idle(s scene) (outcome, error) {
	r, err := s.row("idle", own, "")
	if err != nil {
		return outcome{}, err
	}
	secs, err := number(r, "secs")
	if err != nil {
		return outcome{}, err
	}
	if len(r.Samples) == 0 {
		return outcome{}, errors.New("no samples")
	}
	used := record.Quantile(r.Samples, 0.5) * 10 / secs
	return outcome{measured: fmt.Sprintf("%.2f ms", used/ms), limit: "under 2 ms", met: used < 2*ms}, nil
}

// atMost and below hold one figure of mkdirlock's row against a number.
func atMost(test, variant, figure string, limit float64, format string) func(scene) (outcome, error) {
	return within(test, variant, figure, format, fmt.Sprintf(format, limit), func(v float64) bool { return v <= limit })
}

func below(test, variant, figure string, limit float64, format string) func(scene) (outcome, error) {
	return within(test, variant, figure, format, "under "+fmt.Sprintf(format, limit), func(v float64) bool { return v < limit })
}

func within(test, variant, figure, format, limit string, ok func(float64) bool) func(scene) (outcome, error) {
	return func(s scene) (outcome, error) {
		r, err := s.row(test, own, variant)
		if err != nil {
			return outcome{}, err
		}
		v, err := number(r, figure)
		if err != nil {
			return outcome{}, err
		}
		return outcome{measured: fmt.Sprintf(format, v), limit: limit, met: ok(v)}, nil
	}
}
