package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// event is one line of "go test -json" (see "go doc test2json").
type event struct {
	Action     string
	Package    string
	ImportPath string // of build output
	Test       string
	Output     string
}

// test names one test of one package.
type test struct{ Package, Name string }

// log collects the fate of tests.
type log struct {
	out    *bufio.Writer
	said   map[test][]string // what each test that still runs has printed
	skips  map[test]string   // and why
	failed []string          // tests and builds, in their order
	tests  int
}

func newLog(out *bufio.Writer) *log {
	return &log{out: out, said: map[test][]string{}, skips: map[test]string{}}
}

func (l *log) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Bytes()
		var e event
		// What the go command itself has to say may come as plain text.
		if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(l.out, "%s\n", line)
			continue
		}
		l.add(e)
	}
	return lines.Err()
}

func (l *log) add(e event) {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		if t.Name == "" {
			l.packageLine(e.Output)
			return
		}
		l.said[t] = append(l.said[t], e.Output)
	case "build-output":
		l.out.WriteString(e.Output)
	case "build-fail":
		l.failed = append(l.failed, e.ImportPath+" (build)")
	case "pass", "fail", "skip":
		l.end(t, e.Action)
	}
}

// packageLine prints a package's own line at once, so that somebody who watches sees the run go on.
func (l *log) packageLine(s string) {
	if s == "PASS\n" || strings.Contains(s, "[no test files]") {
		return
	}
	l.out.WriteString(s)
	l.out.Flush()
}

func (l *log) end(t test, action string) {
	said := l.said[t]
	delete(l.said, t)
	if action == "fail" {
		l.failed = append(l.failed, strings.TrimSpace(t.Package+" "+t.Name))
		for _, s := range said {
			l.out.WriteString(s)
		}
	}
	if t.Name == "" {
		if action == "fail" {
			l.unfinished(t.Package)
		}
		return
	}
	l.tests++
	if action == "skip" {
		l.skips[t] = reason(said)
	}
}

// unfinished prints what the tests said that a crash or a time-out cut short: they get no event of their own.
func (l *log) unfinished(pkg string) {
	for t, said := range l.said {
		if t.Package == pkg {
			fmt.Fprintf(l.out, "--- not finished: %s\n%s", t.Name, strings.Join(said, ""))
			delete(l.said, t)
		}
	}
}

// reason is what a skipped test gave as its reason: its output without the frame around it.
func reason(said []string) string {
	var lines []string
	for _, s := range said {
		s = strings.TrimSpace(s)
		if s != "" && !strings.HasPrefix(s, "=== ") && !strings.HasPrefix(s, "--- ") {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, " ")
}
