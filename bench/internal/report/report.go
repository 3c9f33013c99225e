// Package report makes tables and plots of one run's records, in Markdown and SVG.
package report

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aac6cccc/mkdirlock/bench/internal/bars"
	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// Markdown is the whole report: where it was measured, who is missing, the bars, a table for each test, and what failed.
func Markdown(rows record.Rows) string {
	var b strings.Builder
	header(&b, rows)
	peers(&b, rows)
	run, _ := rows.Get(record.Key{Test: record.Run})
	judged(&b, bars.Judge(rows), run.Info["suite"] != "")
	for _, t := range tables {
		t.write(&b, rows)
	}
	failures(&b, rows)
	return b.String()
}

// Write puts the report and its plots into a directory, as README.md and NAME.svg.
func Write(dir string, rows record.Rows) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString(Markdown(rows))
	for _, p := range plots {
		image := p.draw(rows)
		if image == "" {
			continue
		}
		name := p.name + ".svg"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(image), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n![%s](%s)\n", p.title, name)
	}
	return os.WriteFile(filepath.Join(dir, "README.md"), []byte(text.String()), 0o644)
}

func header(b *strings.Builder, rows record.Rows) {
	run, _ := rows.Get(record.Key{Test: record.Run})
	least, most := 0.0, 0.0
	for i, r := range rows {
		if r.Load > 0 {
			if least == 0 {
				least = r.Load
			}
			least, most = min(least, r.Load), max(most, rows[i].Load)
		}
	}
	fmt.Fprintf(b, "Run %s (%s) of tree %s: %s, %s cores of %s, %s; load average %.1f to %.1f, this run's own included.\n",
		run.Run, cmp.Or(run.Info["suite"], run.Info["test"]), run.Info["tree"], run.Info["kernel"], run.Info["cores"], run.Info["cpu"], run.Info["go"], least, most)
}

func peers(b *strings.Builder, rows record.Rows) {
	out := grid{head: []string{"peer", "kind", "version"}}
	for _, p := range rows.Test(record.Peer) {
		version := p.Info["version"]
		if p.Failed != "" {
			version = "**MISSING**: " + p.Failed
		}
		out.rows = append(out.rows, []string{p.Peer, p.Info["kind"], version})
	}
	out.write(b, "Peers", "")
}

// judged shows the verdicts. Of a suite it shows what was not measured too; a single test leaves nearly all of them out.
func judged(b *strings.Builder, verdicts []bars.Verdict, suite bool) {
	out := grid{head: []string{"bar", "where", "measured", "limit", ""}}
	count := map[bars.State]int{}
	for _, v := range verdicts {
		state := string(v.State)
		if v.State != bars.Met {
			state = "**" + state + "**"
		}
		count[v.State]++
		if v.State == bars.Unmeasured && !suite {
			continue
		}
		out.rows = append(out.rows, []string{v.Bar, v.FS, v.Measured, v.Limit, state})
	}
	out.write(b, "Bars", fmt.Sprintf("%d met, %d missed, %d not measured. Where a bar is a multiple of flock(2), p50 is compared with p50 and p99 with p99.",
		count[bars.Met], count[bars.Missed], count[bars.Unmeasured]))
}

func failures(b *strings.Builder, rows record.Rows) {
	out := grid{head: []string{"test", "peer", "profile", "where", "why"}}
	for _, r := range rows {
		if r.Failed != "" && r.Test != record.Peer {
			out.rows = append(out.rows, []string{strings.TrimSpace(r.Test + " " + r.Variant), r.Peer, r.Profile, r.FS, r.Failed})
		}
	}
	if len(out.rows) > 0 {
		out.write(b, "Rows that FAILED", "")
	}
}
