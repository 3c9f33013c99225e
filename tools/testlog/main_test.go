package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const passing = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`

const skipping = `{"Action":"output","Package":"p","Test":"TestB/x","Output":"=== RUN   TestB/x\n"}
{"Action":"output","Package":"p","Test":"TestB/x","Output":"    b_test.go:9: needs strace\n"}
{"Action":"output","Package":"p","Test":"TestB/x","Output":"    --- SKIP: TestB/x (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestB/x"}
`

func TestRun(t *testing.T) {
	const noTests = `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}` + "\n" + `{"Action":"skip","Package":"q"}` + "\n"
	for name, c := range map[string]struct {
		in, allow string // allow "": no file is given
		elsewhere string
		ok        bool
		says      string
	}{
		"passed":                      {in: passing, allow: "#\n", ok: true, says: "ok  \tp\t0.1s\n"},
		"a package without tests":     {in: passing + noTests, allow: "#\n", ok: true},
		"only packages without tests": {in: noTests, ok: false, says: "no test ran"},
		"nothing at all":              {in: "", ok: false, says: "no test ran"},
		"skipped":                     {in: passing + skipping, allow: "#\n", says: "SKIPPED, which counts as failed here: p TestB/x: b_test.go:9: needs strace"},
		"skipped, nobody asks":        {in: passing + skipping, ok: true},
		"skipped, allowed":            {in: passing + skipping, allow: "p TestB/x for a reason\n", ok: true},
		"tried elsewhere":             {in: passing + skipping, allow: "#\n", elsewhere: "needs strace", ok: true},
		"tried in one of two places":  {in: passing + skipping, allow: "#\n", elsewhere: "needs gcc|needs strace", ok: true},
		"tried in none of two places": {in: passing + skipping, allow: "#\n", elsewhere: "needs gcc|needs ld|", says: "SKIPPED"},
		"another tried elsewhere":     {in: passing + skipping, allow: "#\n", elsewhere: "needs gcc", says: "SKIPPED"},
		"allowed, not skipped":        {in: passing, allow: "p TestB/x for a reason\n", says: "allowed to skip, but does not: p TestB/x"},
		"failed": {
			in:   `{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:1: no\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestC"}` + "\n",
			says: "c_test.go:1: no",
		},
		"failed, in sum": {
			in:   passing + `{"Action":"fail","Package":"p","Test":"TestC"}` + "\n",
			says: "FAILED: p TestC\n",
		},
		"crashed": {
			in: passing + `{"Action":"output","Package":"p","Test":"TestD","Output":"panic: oh\n"}` + "\n" +
				`{"Action":"fail","Package":"p"}` + "\n",
			says: "not finished: TestD\npanic: oh",
		},
		"not built": {
			in:   passing + `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: undefined\n"}` + "\n" + `{"ImportPath":"p","Action":"build-fail"}` + "\n",
			says: "x.go:1: undefined",
		},
		"plain text": {in: "go: downloading\n" + passing, ok: true, says: "go: downloading"},
	} {
		t.Run(name, func(t *testing.T) {
			file := ""
			if c.allow != "" {
				file = filepath.Join(t.TempDir(), "allow")
				if err := os.WriteFile(file, []byte(c.allow), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			ok, err := run(strings.NewReader(c.in), &out, file, c.elsewhere)
			if err != nil {
				t.Fatal(err)
			}
			if ok != c.ok || !strings.Contains(out.String(), c.says) {
				t.Errorf("ok = %v, want %v; said:\n%s\nwant in it: %q", ok, c.ok, out.String(), c.says)
			}
		})
	}
}

func TestAllowanceNeedsAReason(t *testing.T) {
	file := filepath.Join(t.TempDir(), "allow")
	if err := os.WriteFile(file, []byte("p TestB\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(strings.NewReader(passing), &strings.Builder{}, file, ""); err == nil {
		t.Error("a line without a reason was accepted")
	}
}
