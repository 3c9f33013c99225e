package report

import (
	"math"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// A plot draws one figure of each row of a test as a bar, those of one peer on all file systems together.
type plot struct {
	name, title string
	test        string
	variant     string
	log         bool // the axis; in steps of ten
	value       func(record.Record) float64
	text        func(float64) string
}

var plots = []plot{
	{"uncontended", "Uncontended acquire and release, µs (median)", "uncontended", "", true, median(1e3), digits},
	{"handoff", "Release → waiter, ms (median)", "handoff", "300ms", true, median(1e6), digits},
	{"crash", "SIGKILL → waiter, ms (median)", "crash", "", true, median(1e6), digits},
	{"idle", "CPU of one blocked waiter in 10 s, ms", "idle", "", true, func(r record.Record) float64 {
		return record.Quantile(r.Samples, 0.5) * 10 / r.N["secs"] / 1e6
	}, digits},
	{"crowd", "CPU of 100 blocked waiters, % of a core", "crowd", "100", true, figureOf("percent"), digits},
	{"contend", "Contention of 8 processes, sections a second", "contend", "8", true, figureOf("rate"), digits},
	{"stampede", "Stampede of 32 on a dead holder's lock: % of rounds with two holders", "stampede", "32", false, func(r record.Record) float64 {
		return 100 * r.N["violated"] / r.N["rounds"]
	}, digits},
}

// median is that of a row's samples in some unit; infinite if it is never.
func median(unit float64) func(record.Record) float64 {
	return func(r record.Record) float64 {
		m := record.Quantile(r.Samples, 0.5)
		if m == record.Never {
			return math.Inf(1)
		}
		return m / unit
	}
}

func figureOf(name string) func(record.Record) float64 {
	return func(r record.Record) float64 {
		if v, ok := r.N[name]; ok {
			return v
		}
		return math.NaN()
	}
}

// draw is the plot as SVG; empty if the run has no such rows.
func (p plot) draw(rows record.Rows) string {
	mine := rows.Test(p.test)
	c := chart{title: p.title, log: p.log, series: mine.FSs(), text: p.text}
	for _, who := range contenders(rows, p.test, p.variant) {
		g := group{label: who.peer, own: rows.Kind(who.peer) == "own"}
		if who.profile != "default" {
			g.label += " (" + who.profile + ")"
		}
		for _, fs := range c.series {
			v := math.NaN()
			r, ok := mine.Get(record.Key{Test: p.test, Peer: who.peer, Profile: who.profile, FS: fs, Variant: p.variant})
			if ok && r.Failed == "" {
				v = p.value(r)
			}
			g.values = append(g.values, v)
		}
		c.groups = append(c.groups, g)
	}
	for _, peer := range rows.Test(record.Peer) {
		if peer.Failed != "" {
			c.groups = append(c.groups, group{label: peer.Peer + " MISSING"})
		}
	}
	if len(c.groups) == 0 || len(c.series) == 0 {
		return ""
	}
	return c.svg()
}
