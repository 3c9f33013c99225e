package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const code = `package p

// F says what n is.
func F(n int) string {
	if n > 10 {
		// a comment, which is left out
		return "big" // and this one
	}
	if n == 7 {
		n++
		if n == 9 {
			return "odd"
		}
		return "lucky"
	}
	switch {
	case n < 0:
		return "negative"
	case n == 5:
		return "five"
	case n == 0:
		return "zero"
	default:
		return "small"
	}
}

type T struct{}

func (*T) M(yes bool) {
	if yes {
		return
	} else if !yes {
		println("no")
	}
	println("M")
}

func (T) Twice(a, b bool) (n int) {
	if a {
		n++
	}
	if b {
		n++
	}
	for range 3 {
		if b {
			n++
		}
	}
	return n
}

func Empty() {}

func After(stop bool) {
	if !stop {
		return
	}
	println("1")
	if stop {
		println("2")
	}
}

var V = func() string { return "V" }
`

const calls = `package p

import "testing"

func Test(t *testing.T) {
	F(1)
	F(0)
	new(T).M(true)
	T{}.Twice(true, false)
	After(false)
}
`

// What these calls do not reach, as the list says it.
var lines = []string{
	`p/p.go F: if n > 10 { / return "big"`,
	`p/p.go F: if n == 7 { / n++`, // with all that is in it
	`p/p.go F: case n < 0: / return "negative"`,
	`p/p.go F: case n == 5: / return "five"`,
	`p/p.go T.M: } else if !yes {`, // with what is in its braces, but not what comes after
	`p/p.go T.M: println("M")`,
	`p/p.go T.Twice#2: if b { / n++`,
	`p/p.go T.Twice#1: if b { / n++`,
	`p/p.go After: println("1")`, // with all that comes after it
	`p/p.go V: *`,
}

// profile makes a module with this code and returns the cover profile of its tests.
func profile(t *testing.T, code string) (root, file string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "p/p.go": code, "p/p_test.go": calls} {
		write(t, filepath.Join(root, name), text)
	}
	file = filepath.Join(root, "cover.out")
	cmd := exec.Command("go", "test", "-coverprofile="+file, "./p")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return root, file
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// check runs the comparison, and returns what it says.
func check(t *testing.T, root, profile, list string) (ok bool, said string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list.txt")
	write(t, file, list)
	var out strings.Builder
	ok, err := run(&out, root, file, profile)
	if err != nil {
		t.Fatal(err)
	}
	return ok, out.String()
}

func list(entries ...string) string {
	return "# a comment\n\nfor a reason\n\t" + strings.Join(entries, "\n\t") + "\n"
}

func without(n int) (rest []string) {
	return append(append(rest, lines[:n]...), lines[n+1:]...)
}

func TestList(t *testing.T) {
	root, file := profile(t, code)
	if ok, said := check(t, root, file, list(lines...)); !ok || !strings.Contains(said, "15 of 31 statements are reached (48.4%)\n   16 are not: for a reason\n") {
		t.Errorf("ok = %v:\n%s", ok, said)
	}
	for i, line := range lines {
		ok, said := check(t, root, file, list(without(i)...))
		if ok || strings.Count(said, "\n\t") != 1 || !strings.Contains(said, "\n\t"+line+"\n") {
			t.Errorf("without %q: ok = %v:\n%s", line, ok, said)
		}
	}
	for name, c := range map[string]struct{ more, says string }{
		"reached":             {`p/p.go F: case n == 0: / return "zero"`, "is reached: p/p.go F: case n == 0:"},
		"partly":              {`p/p.go F: *`, "is reached: p/p.go F: *"},
		"partly, at first":    {`p/p.go T.M: *`, "is reached: p/p.go T.M: *"},
		"no such block":       {`p/p.go F: case n == 1: / return "one"`, "line 14: there is no such block (any more): p/p.go F: case n == 1:"},
		"no such function":    {`p/p.go G: *`, "there is no such block (any more): p/p.go G: *"},
		"no such file":        {`q/q.go F: *`, "there is no such block (any more): q/q.go F: *"},
		"empty":               {`p/p.go Empty: *`, "there is no such block (any more): p/p.go Empty: *"},
		"which of them":       {`p/p.go T.Twice: if b { / n++`, "there is no such block (any more): p/p.go T.Twice: if b {"},
		"twice":               {lines[0], "line 14: stands in line 4 already: " + lines[0]},
		"rare and gone":       {"X\nrare: luck\n\tp/p.go G: *", "there is no such block (any more): p/p.go G: *"},
		"rare does not spill": {"X\nrare: luck\n\tp/p.go F: case n == 0: / return \"zero\"\nanother reason\n\tp/p.go F: default: / return \"small\"", "is reached: p/p.go F: default:"},
	} {
		entries := append(append([]string(nil), lines...), c.more)
		ok, said := check(t, root, file, strings.Replace(list(entries...), "\tX\n", "", 1))
		if ok || !strings.Contains(said, c.says) {
			t.Errorf("%s: ok = %v:\n%swant in it: %s", name, ok, said, c.says)
		}
	}
	rare := list(lines[1:]...) + "rare: luck\n\t" + lines[0] + "\n\tp/p.go F: case n == 0: / return \"zero\"\n"
	if ok, said := check(t, root, file, rare); !ok {
		t.Errorf("what is rare may be reached, and may be not:\n%s", said)
	}
}

// Entries stand for the same blocks when something is added elsewhere.
func TestListSurvivesEdits(t *testing.T) {
	edited := strings.NewReplacer(
		"package p\n", "package p\n\nimport _ \"fmt\"\n",
		"if n > 10 {", "if n == 100 {\n\t\tn = 0\n\t}\n\tif n > 10 { // a comment\n",
		"type T struct", "func New() {}\n\ntype T struct",
		"if a {", "if n > 3 {\n\t\treturn\n\t}\n\tif a {",
	).Replace(code)
	root, file := profile(t, edited)
	ok, said := check(t, root, file, list(lines...))
	if ok || strings.Count(said, "\n\t") != 2 || !strings.Contains(said, "if n == 100 { / n = 0\n") || !strings.Contains(said, "if n > 3 { / return\n") {
		t.Errorf("only what was added should be missing: ok = %v:\n%s", ok, said)
	}
}

func TestRefusals(t *testing.T) {
	root, file := profile(t, code)
	for name, c := range map[string]struct{ list, profile, says string }{
		"no reason":         {"\tp/p.go F: *\n", "", "an entry stands below its reason"},
		"no text":           {"why\n\tp/p.go F\n", "", "an entry is FILE FUNCTION: FIRST LINE"},
		"no profile":        {"", "mode: set\nnonsense\n", "no line of a cover profile"},
		"an empty profile":  {"", "mode: set\n", "nothing was counted"},
		"another module":    {"", "mode: set\nexample.com/other/p/p.go:1.1,2.2 1 0\n", "not in module"},
		"an older version":  {"", "mode: set\nexample.com/m/p/p.go:1000.1,1001.2 1 0\n", "the profile is of another version"},
		"an older version'": {"", "mode: set\nexample.com/m/p/p.go:1.100,1.200 1 0\n", "the profile is of another version"},
		"a file that went":  {"", "mode: set\nexample.com/m/p/q.go:1.1,2.2 1 0\n", "q.go"},
	} {
		list, p := filepath.Join(t.TempDir(), "list"), file
		write(t, list, c.list)
		if c.profile != "" {
			p = filepath.Join(t.TempDir(), "profile")
			write(t, p, c.profile)
		}
		if ok, err := run(&strings.Builder{}, root, list, p); ok || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: ok = %v, %v, want %q", name, ok, err, c.says)
		}
	}
}

// One block may stand in a profile several times, once for each test binary.
func TestProfileIsASum(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p")
	write(t, file, "mode: set\nm/p.go:1.1,2.2 3 0\nm/p.go:5.1,6.2 0 0\nm/p.go:1.1,2.2 3 1\nm/p.go:1.1,2.2 3 0\n")
	blocks, err := readProfile(file)
	if err != nil || len(blocks) != 1 || !blocks[0].reached || blocks[0].statements != 3 {
		t.Errorf("%+v, %v", blocks, err)
	}
}
