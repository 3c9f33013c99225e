package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// A table shows the rows of one test, with the same columns for each file system side by side.
type table struct {
	test  string
	title string // with %s for the variant, where the test has some
	note  string
	head  []string
	cells func(record.Rows, record.Record) []string
}

func (t table) write(b *strings.Builder, rows record.Rows) {
	mine := rows.Test(t.test)
	if len(mine) == 0 {
		return
	}
	variants := mine.Variants()
	if len(variants) == 0 {
		variants = []string{""}
	}
	for _, v := range variants {
		title := t.title
		if v != "" {
			title = fmt.Sprintf(t.title, v)
		}
		t.grid(rows, v).write(b, title, t.note)
	}
}

func (t table) grid(rows record.Rows, variant string) grid {
	mine := rows.Test(t.test)
	g := grid{head: []string{"peer", "profile"}}
	for _, fs := range mine.FSs() {
		for i, h := range t.head {
			if i == 0 {
				h = fs + " " + h
			}
			g.head = append(g.head, h)
		}
	}
	for _, who := range contenders(rows, t.test, variant) {
		line := []string{who.peer, who.profile}
		for _, fs := range mine.FSs() {
			r, ok := mine.Get(record.Key{Test: t.test, Peer: who.peer, Profile: who.profile, FS: fs, Variant: variant})
			cells := make([]string, len(t.head))
			switch {
			case ok && r.Failed != "":
				cells[0] = "**failed**"
			case ok:
				cells = t.cells(rows, r)
			}
			line = append(line, cells...)
		}
		g.rows = append(g.rows, line)
	}
	for _, p := range rows.Test(record.Peer) {
		if p.Failed != "" {
			g.rows = append(g.rows, []string{p.Peer, "**MISSING**"})
		}
	}
	return g
}

type contender struct{ peer, profile string }

// contenders are those who have a row, in the order of the run's peers: rows come in the order in which they were done.
func contenders(rows record.Rows, test, variant string) []contender {
	var peers []string
	for _, p := range rows.Test(record.Peer) {
		peers = append(peers, p.Peer)
	}
	var all []contender
	for _, r := range rows.Test(test) {
		who := contender{r.Peer, r.Profile}
		if r.Variant == variant && !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	slices.SortStableFunc(all, func(a, b contender) int {
		return cmp.Or(
			cmp.Compare(slices.Index(peers, a.peer), slices.Index(peers, b.peer)),
			cmp.Compare(a.profile, b.profile),
		)
	})
	return all
}

var tables = []table{
	{"clock", "Workers", "From starting one to its first line, and how long that line took to arrive. All stamps are of one clock, or the row has failed.",
		[]string{"start ms", "line µs"}, func(_ record.Rows, r record.Record) []string {
			return []string{figure(r, "%.0f", "start_ms"), figure(r, "%.0f", "pipe_us")}
		}},
	{"uncontended", "Uncontended acquire and release", "Mean of a run; the median of the runs, and of their ratios to the floor's run just before.",
		[]string{"µs", "x floor"}, func(_ record.Rows, r record.Record) []string {
			return []string{number("%.1f", record.Quantile(r.Samples, 0.5)/1e3), number("%.2f", record.Median(r.Ratios()))}
		}},
	{"handoff", "Release → waiter, after a wait of %s or a little more", "From the call of release to the return of acquire in another process.",
		spread, spreadOf},
	{"crash", "SIGKILL → waiter", "From the signal to the return of acquire in a process that had waited.", spread, spreadOf},
	{"newcomer", "SIGKILL, then a newcomer", "From the signal to the return of acquire in a process that started after it; its start is included.", spread, spreadOf},
	{"idle", "One blocked waiter", "CPU in 10 s, and system calls a second by what they concern: the lock, other files (/proc among them), anything else.",
		[]string{"CPU ms", "lock/s", "files/s", "other/s"}, idleOf},
	{"crowd", "%s waiters, each in its own process", "CPU in percent of one core.",
		[]string{"waiters %", "holder %"}, func(_ record.Rows, r record.Record) []string {
			return []string{figure(r, "%.2f", "percent"), figure(r, "%.2f", "holder_percent")}
		}},
	{"contend", "Contention of %s processes", "Guarded sections a second; the smallest and the largest share of a process; processes still waiting 25 s after the end.",
		[]string{"sections/s", "least %", "most %", "two holders", "errors", "stuck"}, contendOf},
	{"stampede", "Stampede of %s on a dead holder's lock", "Rounds; in how many of them two were inside at once; acquisitions, of those that should be; and when the first and the last had it.",
		[]string{"rounds", "two holders", "got it", "errors", "first ms", "last ms"}, stampedeOf},
	{"goroutines", "Goroutines: 32 in each process, of which there are %s", "Turns of 1 ms.",
		[]string{"turns/s", "median ms", "p99 ms", "longest ms", "longest/median"}, goroutinesOf},
	{"held", "%s held locks of one process", "Heartbeats of a second. floor is a bare loop of utimensat.",
		[]string{"CPU ms/s", "threads", "oldest beat ms", "acquired in ms"}, heldOf},
}
