package report

import (
	"fmt"
	"math"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// number prints a figure that may not be there.
func number(format string, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// figure prints one of a record's, if it has it.
func figure(r record.Record, format, name string) string {
	v, ok := r.N[name]
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, v)
}

// msOf prints ns as ms, with about three digits that mean something.
func msOf(ns float64) string {
	switch {
	case math.IsNaN(ns):
		return ""
	case ns == record.Never:
		return "never"
	case ns < 1e7:
		return fmt.Sprintf("%.2f", ns/1e6)
	case ns < 1e9:
		return fmt.Sprintf("%.1f", ns/1e6)
	default:
		return fmt.Sprintf("%.0f", ns/1e6)
	}
}

var spread = []string{"p50 ms", "p99", "most", "n"}

func spreadOf(_ record.Rows, r record.Record) []string {
	return []string{
		msOf(record.Quantile(r.Samples, 0.5)),
		msOf(record.Quantile(r.Samples, 0.99)),
		msOf(record.Quantile(r.Samples, 1)),
		fmt.Sprint(len(r.Samples)),
	}
}

// idleOf puts a waiter's processor time and its calls into one line: they are measured in two waits.
func idleOf(rows record.Rows, r record.Record) []string {
	cells := []string{number("%.2f", record.Quantile(r.Samples, 0.5)*10/r.N["secs"]/1e6)}
	key := r.Key()
	key.Test = "calls"
	c, ok := rows.Get(key)
	for _, name := range []string{"lock", "files", "other"} {
		switch {
		case !ok:
			cells = append(cells, "")
		case c.Failed != "":
			cells = append(cells, "**failed**")
		default:
			cells = append(cells, number("%.1f", c.N[name]/c.N["secs"]))
		}
	}
	return cells
}

func contendOf(_ record.Rows, r record.Record) []string {
	least, largest := math.NaN(), math.NaN()
	if len(r.Samples) > 0 {
		least, largest = r.Shares()
	}
	return []string{
		figure(r, "%.0f", "rate"),
		number("%.1f", least),
		number("%.1f", largest),
		figure(r, "%.0f", "violations"),
		fmt.Sprintf("%.0f", r.N["errors"]+r.N["died"]),
		figure(r, "%.0f", "stuck"),
	}
}

func stampedeOf(_ record.Rows, r record.Record) []string {
	return []string{
		figure(r, "%.0f", "rounds"),
		figure(r, "%.0f", "violated"),
		fmt.Sprintf("%.0f of %.0f", r.N["acquired"], r.N["rounds"]*r.N["procs"]),
		fmt.Sprintf("%.0f", r.N["errors"]+r.N["died"]),
		msOf(record.Quantile(r.Samples, 0.5)),
		number("%.0f", r.N["all_ms"]/(r.N["rounds"]-r.N["nobody"])),
	}
}

func goroutinesOf(_ record.Rows, r record.Record) []string {
	return []string{
		number("%.0f", r.N["sections"]/r.N["secs"]),
		msOf(r.N["median_ns"]),
		msOf(r.N["p99_ns"]),
		msOf(r.N["longest_ns"]),
		number("%.1f", r.N["longest_ns"]/r.N["median_ns"]),
	}
}

func heldOf(_ record.Rows, r record.Record) []string {
	return []string{
		number("%.1f", record.Quantile(r.Samples, 0.5)/r.N["secs"]/1e6),
		figure(r, "%.0f", "threads"),
		figure(r, "%.0f", "oldest_ms"),
		figure(r, "%.0f", "acquire_ms"),
	}
}
