package archtest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const maxLines = 300

// A file that is longer has more than one idea in it.
func TestFilesAreShort(t *testing.T) {
	for name, text := range files(t, ".go") {
		if _, ships := packageOf(name); !ships {
			continue
		}
		if n := strings.Count(text, "\n"); n > maxLines {
			t.Errorf("%s has %d lines, more than %d", name, n, maxLines)
		}
	}
}

// Names of places on somebody's machine mean nothing to a reader of the repository. They are put together here, so
// that this file does not contain them.
var places = []string{"/wo" + "rk/", "../sha" + "red", "/tmp/" + "spec", "MEASURED" + ".md"}

func TestNoNamesOfPlaces(t *testing.T) {
	for name, text := range files(t, "") {
		report(t, named(name, text))
	}
}

func named(name, text string) (violations []string) {
	for i, line := range slices.Collect(strings.Lines(text)) {
		for _, p := range places {
			if strings.Contains(line, p) {
				violations = append(violations, fmt.Sprintf("%s:%d: names a place outside the repository: %s", name, i+1, p))
			}
		}
	}
	return violations
}

var (
	testName = regexp.MustCompile(`\b(Test|Fuzz|Benchmark|Example)[A-Z][A-Za-z0-9_]*\b`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]*)\(`)
	link     = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
)

// A document may name a test only if it exists, and link only to what is there.
func TestDocumentsNameWhatExists(t *testing.T) {
	have := map[string]bool{}
	for _, text := range files(t, "_test.go") {
		for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
			have[m[1]] = true
		}
	}
	all := files(t, "")
	exists := func(file string) bool {
		for name := range all {
			if name == file || strings.HasPrefix(name, file+"/") {
				return true
			}
		}
		return false
	}
	for name, text := range files(t, ".md") {
		report(t, unknownTests(name, text, have))
		report(t, deadLinks(name, text, exists))
	}
}

func unknownTests(name, text string, have map[string]bool) (violations []string) {
	for _, test := range testName.FindAllString(text, -1) {
		if !have[test] {
			violations = append(violations, fmt.Sprintf("%s names %s, which does not exist", name, test))
		}
	}
	return violations
}

func deadLinks(name, text string, exists func(string) bool) (violations []string) {
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
			continue
		}
		if target := path.Join(path.Dir(name), m[1]); !exists(target) {
			violations = append(violations, fmt.Sprintf("%s links to %s, which does not exist", name, m[1]))
		}
	}
	return violations
}

func TestTextRulesSeeViolations(t *testing.T) {
	wantRed(t, named("a.md", "fine\nsee "+places[0]+"x\n"), "a.md:2")
	wantRed(t, unknownTests("a.md", "`TestThere` and `TestNotThere`, Test, Tests", map[string]bool{"TestThere": true}), "TestNotThere")
	exists := func(f string) bool { return f == "docs/b.md" }
	wantRed(t, deadLinks("docs/a.md", "[b](b.md), [c](c.md#d), [w](https://example.com/x)", exists), "links to c.md")
}
