package report

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// sample is a run with something of everything: a missing peer, a row that failed, one that never ended, an empty one.
func sample() record.Rows {
	type n = map[string]float64
	about := func(peer, kind, version, missing string) record.Record {
		return record.Record{Run: "r1", Test: record.Peer, Peer: peer, Failed: missing, Info: map[string]string{"kind": kind, "version": version}}
	}
	row := func(test, peer, profile, fs, variant string, n n, samples ...int64) record.Record {
		return record.Record{Run: "r1", Test: test, Peer: peer, Profile: profile, FS: fs, Variant: variant, N: n, Samples: samples, Load: 0.5}
	}
	failed := row("handoff", "flock", "default", "tmpfs", "300ms", nil)
	failed.Failed = "no holder | at all\nsecond line"
	floor := row("uncontended", "mkdirlock", "default", "ext4", "", nil, 30_000, 50_000)
	floor.Floor = []int64{20_000, 25_000}
	return record.Rows{
		{Run: "r1", Test: record.Run, Info: map[string]string{"suite": "quick", "kernel": "Linux 6", "tree": "abc"}},
		about("mkdirlock", "own", "this tree", ""), about("flock", "kernel", "calls", ""), about("gone<&>", "takeover", "", "no module"),
		floor,
		row("handoff", "flock", "default", "ext4", "300ms", n{}, 100_000, 200_000),
		row("handoff", "mkdirlock", "fast", "ext4", "300ms", n{}, 1_500_000_000),
		row("handoff", "mkdirlock", "default", "ext4", "300ms", n{}, 12_345_678, record.Never),
		row("handoff", "mkdirlock", "default", "ext4", "30s", n{}, 99_000_000),
		failed,
		row("crash", "flock", "default", "ext4", "", n{}, record.Never, record.Never, 1),
		row("idle", "mkdirlock", "default", "tmpfs", "", n{"secs": 5}, 1_000_000),
		row("calls", "mkdirlock", "default", "tmpfs", "", n{"secs": 5, "lock": 10, "files": 0, "other": 1}),
		row("idle", "flock", "default", "tmpfs", "", n{"secs": 5}, 0),
		row("contend", "flock", "default", "tmpfs", "8", n{"rate": 1234, "violations": 2}, 25, 75),
		row("stampede", "flock", "default", "tmpfs", "32", n{"rounds": 30, "violated": 3, "acquired": 950, "procs": 32, "nobody": 0, "all_ms": 60}, 1_000_000),
		row("goroutines", "flock", "default", "tmpfs", "1", n{"sections": 50, "secs": 5, "median_ns": 2e6, "longest_ns": 9e6, "p99_ns": 5e6}),
		row("held", "mkdirlock", "default", "tmpfs", "10000", n{"secs": 10, "threads": 12, "oldest_ms": 1500, "acquire_ms": 900}, 50_000_000),
		row("crowd", "mkdirlock", "default", "tmpfs", "100", n{"percent": 0.25, "holder_percent": 0.01}),
	}
}

// section is the part of a report below a heading.
func section(t *testing.T, report, title string) string {
	t.Helper()
	_, rest, ok := strings.Cut(report, "\n### "+title)
	if !ok {
		t.Fatalf("no section %q in\n%s", title, report)
	}
	part, _, _ := strings.Cut(rest, "\n### ")
	return part
}

func TestTablesSayWhatWasMeasured(t *testing.T) {
	report := Markdown(sample())
	for title, lines := range map[string][]string{
		"Uncontended": {"| mkdirlock | default | 30.0 | 1.75 |"},
		"Release → waiter, after a wait of 300ms": {
			"| mkdirlock | default | 12.3 | never | never | 2 | – | – | – | – |",
			"| mkdirlock | fast | 1500 | 1500 | 1500 | 1 | – | – | – | – |",
			"| flock | default | 0.10 | 0.20 | 0.20 | 2 | **failed** | – | – | – |",
		},
		"Release → waiter, after a wait of 30s": {"| mkdirlock | default | 99.0 |"},
		"SIGKILL → waiter":                      {"| flock | default | never | never | never | 3 |"},
		"One blocked waiter":                    {"| mkdirlock | default | 2.00 | 2.0 | 0.0 | 0.2 |", "| flock | default | 0.00 | – | – | – |"},
		"Contention of 8":                       {"| flock | default | 1234 | 25.0 | 75.0 | 2 | 0 | – |"},
		"Stampede of 32":                        {"| flock | default | 30 | 3 | 950 of 960 | 0 | 1.00 | 2 |"},
		"Goroutines: 32 in each process, of which there are 1": {"| flock | default | 10 | 2.00 | 5.00 | 9.00 | 4.5 |"},
		"10000 held locks": {"| mkdirlock | default | 5.0 | 12 | 1500 | 900 |"},
		"100 waiters":      {"| mkdirlock | default | 0.25 | 0.01 |"},
		"Rows that FAILED": {`| handoff 300ms | flock | default | tmpfs | no holder \| at all; second line |`},
		"Peers":            {"| gone<&> | takeover | **MISSING**: no module |"},
		"Bars":             {"**not measured**", "10,000 held: threads | tmpfs | 12 | 64 | met |"},
	} {
		part := section(t, report, title)
		for _, line := range lines {
			if !strings.Contains(part, line) {
				t.Errorf("%s: no %q in%s", title, line, part)
			}
		}
	}
	if !strings.Contains(report, "tree abc") || !strings.Contains(report, "Linux 6") {
		t.Errorf("nothing of the machine in\n%s", report)
	}
}

// Whoever is missing is named in every table, and never left out.
func TestMissingPeerIsInEveryTable(t *testing.T) {
	rows := sample()
	report := Markdown(rows)
	for _, tab := range tables {
		if len(rows.Test(tab.test)) == 0 {
			continue
		}
		title := strings.ReplaceAll(tab.title, "%s", rows.Test(tab.test)[0].Variant)
		if part := section(t, report, title); !strings.Contains(part, "| gone<&> | **MISSING** |") {
			t.Errorf("not in%s", part)
		}
	}
}

func TestTableLinesHaveTheirHeadsCells(t *testing.T) {
	width := 0
	for line := range strings.Lines(Markdown(sample())) {
		if !strings.HasPrefix(line, "|") {
			width = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if width == 0 {
			width = n
		}
		if n != width {
			t.Errorf("%d cells, the head has %d: %s", n-1, width-1, line)
		}
	}
}

// What a single test leaves out is not shown as a lack; what a suite leaves out is.
func TestUnmeasuredBarsAreShownForSuites(t *testing.T) {
	rows := sample()
	if !strings.Contains(section(t, Markdown(rows), "Bars"), "**not measured**") {
		t.Error("a suite does not show what was not measured")
	}
	rows[0].Info = map[string]string{"test": "held"}
	if part := section(t, Markdown(rows), "Bars"); strings.Contains(part, "**not measured**") || !strings.Contains(part, "threads") {
		t.Errorf("of one test:%s", part)
	}
}

var drawn = regexp.MustCompile(`fill="(?:#3366aa|#dd8833)"/><text x="[0-9.]+" y="\d+">([^<]*)</text>`)

func TestPlots(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, sample()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{ // with the two of the legend
		"handoff":  "ext4,tmpfs,12.3,not measured,1500,not measured,0.1,not measured",
		"crash":    "ext4,never",
		"stampede": "tmpfs,10",
		"idle":     "tmpfs,2,0",
		"contend":  "tmpfs,1234",
	} {
		image, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "]("+name+".svg)") {
			t.Errorf("the report does not show %s", name)
		}
		var got []string
		for _, m := range drawn.FindAllStringSubmatch(string(image), -1) {
			got = append(got, m[1])
		}
		if g := strings.Join(got, ","); g != want {
			t.Errorf("%s draws %s, want %s", name, g, want)
		}
		if !strings.Contains(string(image), "gone&lt;&amp;&gt; MISSING") {
			t.Errorf("%s says nothing of the missing peer", name)
		}
		wellFormed(t, name, string(image))
	}
}

func wellFormed(t *testing.T, name, image string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(image)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

func TestAxis(t *testing.T) {
	values := func(v ...float64) chart { return chart{groups: []group{{values: v}}} }
	for _, c := range []struct {
		log         bool
		values      []float64
		least, most float64
	}{
		{true, []float64{0.05, 700}, 0.01, 1000},
		{true, []float64{5, 5}, 1, 10},
		{true, []float64{1}, 1, 10},
		{true, nil, 1, 10},
		{true, []float64{0, 20}, 10, 100},
		{false, []float64{95}, 0, 100},
		{false, []float64{10}, 0, 10},
		{false, []float64{0}, 0, 10},
	} {
		ch := values(c.values...)
		ch.log = c.log
		s := ch.axis()
		if s.least != c.least || s.most != c.most || len(s.ticks) < 2 {
			t.Errorf("%v: %v to %v by %v, want %v to %v", c.values, s.least, s.most, s.ticks, c.least, c.most)
		}
		for _, v := range append(c.values, 0, 1e9) {
			if x := s.x(v); !(x >= left && x <= wide-right) {
				t.Errorf("%v is drawn at %v", v, x)
			}
		}
	}
}
