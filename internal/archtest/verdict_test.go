package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The verdict is a function of plain values: the file that has it reads no clock, no file and no process.
func TestVerdictIsPure(t *testing.T) {
	found := false
	for _, p := range list(t, "linux", "./stamp") {
		for _, name := range p.GoFiles {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if declares(f, "Judge") || declares(f, "Confirm") {
				found = true
				report(t, impure(name, f))
			}
		}
	}
	if !found {
		t.Fatal("no file of package stamp declares Judge")
	}
}

func declares(f *ast.File, name string) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == name
	})
}

func impure(name string, f *ast.File) (violations []string) {
	pure := []string{"cmp", "errors", "fmt", "maps", "math", "slices", "strconv", "strings", "time", "github.com/google/uuid"}
	for _, imp := range f.Imports {
		if p, _ := strconv.Unquote(imp.Path.Value); !slices.Contains(pure, p) {
			violations = append(violations, fmt.Sprintf("%s imports %s, which is not a matter of plain values", name, p))
		}
	}
	const why = "the verdict reads no clock"
	return append(violations, called(name, f, map[string]string{"time.Now": why, "time.Since": why, "time.Until": why})...)
}

func TestVerdictRuleSeesViolations(t *testing.T) {
	f := parse(t, "v.go", `package stamp
		import ("os"; "time")
		func Judge() { _ = time.Now(); _ = os.Args }`)
	if !declares(f, "Judge") {
		t.Error("Judge was not found")
	}
	wantRed(t, impure("v.go", f), "imports os", "time.Now")
}

// parse parses source text that a test wrote itself.
func parse(t *testing.T, name, src string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// packageOf is the directory of a tracked Go file, and whether the file is code that ships: no test, no test data, no nested module.
func packageOf(file string) (dir string, ships bool) {
	dir = path.Dir(file)
	ships = !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "testdata/") && !inNestedModule(file)
	return dir, ships
}

func inNestedModule(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func TestNestedModulesDoNotShip(t *testing.T) {
	for file, want := range map[string]bool{"tools/testlog/main.go": true, "dirlock/lock.go": false, "cmd/dirlock/main.go": false} {
		if inNestedModule(file) != want {
			t.Errorf("inNestedModule(%q) = %v", file, !want)
		}
	}
}
