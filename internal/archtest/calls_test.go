package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// Calls that would break a rule of the protocol wherever they stand in code that ships, and why.
var forbiddenCalls = map[string]string{
	"Rename":     "nothing is renamed: rename(2) names a path, not an owner, and replaces an empty directory",
	"Renameat":   "nothing is renamed",
	"Renameat2":  "nothing is renamed",
	"MoveFileEx": "nothing is renamed",
	"RemoveAll":  "nothing is removed recursively",
	"os.Remove":  "it is unlink and then rmdir: say which of them is meant",
	"os.Chtimes": "it sends this host's clock; a beat carries the system's now",
}

func TestForbiddenCalls(t *testing.T) {
	for name, src := range files(t, ".go") {
		dir, ships := packageOf(name)
		if !ships || isHelper(dir) {
			continue
		}
		f := parse(t, name, src)
		report(t, called(name, f, forbiddenCalls))
		if dir == "heartbeat" {
			const why = "heartbeats are judged on the clocks that were handed in, never on the date"
			report(t, called(name, f, map[string]string{"time.Now": why, "time.Since": why, "time.Until": why}))
		}
	}
}

// called finds what is selected from a package, "os.Remove", or from anything, "Rename".
func called(name string, f *ast.File, forbidden map[string]string) (violations []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, _ := sel.X.(*ast.Ident)
		for call, why := range forbidden {
			pkg, fn, qualified := strings.Cut(call, ".")
			if !qualified {
				fn = pkg
			}
			if sel.Sel.Name == fn && (!qualified || x != nil && x.Name == pkg) {
				violations = append(violations, fmt.Sprintf("%s: %s: %s", name, call, why))
			}
		}
		return true
	})
	slices.Sort(violations)
	return violations
}

func TestCallRuleSeesViolations(t *testing.T) {
	f := parse(t, "x.go", `package x
		import "os"
		func f(s interface{ Remove(); Rename() }) { os.Remove("x"); s.Remove(); s.Rename() }`)
	wantRed(t, called("x.go", f, forbiddenCalls), "Rename: ", "os.Remove: ")
}
