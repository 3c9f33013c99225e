package model

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// The table in the package comment has the figures that the tests demand.
func TestPackageCommentHasTheFigures(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) > 61 {
		t.Errorf("doc.go has %d lines: nobody reads that in ten minutes", len(lines))
	}
	var rows []string
	for _, d := range designs {
		dead := fmt.Sprint(d.dead)
		if d.fencing {
			dead = "-"
		}
		rows = append(rows, fmt.Sprintf("//\t%-24s %9s %5s", Config{Faults: d.faults, Fencing: d.fencing, Guards: d.guards}, thousands(d.states), dead))
	}
	for m := Design + 1; int(m) < len(mutants); m++ {
		want := wantMutants[m]
		what := want.what
		if want.dead > 0 {
			what = thousands(want.dead) + " " + what
		}
		rows = append(rows, fmt.Sprintf("//\t%-18s %-9s %2d  %s", m, m.Config().Faults, want.steps, what))
	}
	for _, row := range rows {
		if !slices.Contains(lines, row) {
			t.Errorf("doc.go has no line\n%s", row)
		}
	}
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
