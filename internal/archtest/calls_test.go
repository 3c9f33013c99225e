package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
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

// Selectors that only look like one of those: of a package, by its import path.
var harmless = map[[2]string]string{
	{"github.com/fsnotify/fsnotify", "Rename"}: "the name of an event",
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
	from := importedAs(f)
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, _ := sel.X.(*ast.Ident)
		if x != nil && harmless[[2]string{from[x.Name], sel.Sel.Name}] != "" {
			return true
		}
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

// importedAs returns the import paths of a file by the names that they have in it. One without a name of its own is taken to be called
// as its path ends.
func importedAs(f *ast.File) map[string]string {
	from := map[string]string{}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		from[name] = p
	}
	return from
}

func TestCallRuleSeesViolations(t *testing.T) {
	f := parse(t, "x.go", `package x
		import "os"
		func f(s interface{ Remove(); Rename() }) { os.Remove("x"); s.Remove(); s.Rename() }`)
	wantRed(t, called("x.go", f, forbiddenCalls), "Rename: ", "os.Remove: ")

	// The name of an event is no call, but a call is none the less one beside it, whatever it is called by.
	f = parse(t, "y.go", `package y
		import "github.com/fsnotify/fsnotify"
		func f(e fsnotify.Event) bool { return e.Has(fsnotify.Rename) }`)
	wantRed(t, called("y.go", f, forbiddenCalls))
	f = parse(t, "y.go", `package y
		import (
			"github.com/fsnotify/fsnotify"
			"os"
		)
		func f(e fsnotify.Event) error { e.Rename(); fsnotify.RemoveAll(); rename := os.Rename; return rename("a", "b") }`)
	wantRed(t, called("y.go", f, forbiddenCalls), "RemoveAll: ", "Rename: ", "Rename: ")
	f = parse(t, "z.go", `package z
		import fsnotify "os"
		func f() { fsnotify.Rename("a", "b") }`)
	wantRed(t, called("z.go", f, forbiddenCalls), "Rename: ")
}
