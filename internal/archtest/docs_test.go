package archtest

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every exported name says its contract, in the files for every system.
func TestExportedNamesAreDocumented(t *testing.T) {
	described := map[string]bool{}
	for name, src := range files(t, ".go") {
		dir, ships := packageOf(name)
		if !ships {
			continue
		}
		f := parse(t, name, src)
		described[dir] = described[dir] || f.Doc.Text() != ""
		report(t, undocumented(name, f))
	}
	for dir, ok := range described {
		if !ok {
			t.Errorf("%s: no package comment", dir)
		}
	}
}

func undocumented(name string, f *ast.File) (violations []string) {
	missing := func(what string) {
		violations = append(violations, fmt.Sprintf("%s: %s has no doc comment", name, what))
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc.Text() == "" && receiverExported(d) && !saidElsewhere(d) {
				missing(d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					alone := len(d.Specs) == 1 && d.Doc.Text() != ""
					if s.Name.IsExported() && s.Doc.Text() == "" && s.Comment.Text() == "" && !alone {
						missing(s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						if id.IsExported() && s.Doc.Text() == "" && s.Comment.Text() == "" && d.Doc.Text() == "" {
							missing(id.Name)
						}
					}
				}
			}
		}
	}
	return violations
}

// saidElsewhere reports whether fmt or the language says the contract of a method already.
func saidElsewhere(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"String", "Error", "Unwrap"}, d.Name.Name)
}

func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	return !ok || id.IsExported()
}

func TestDocRuleSeesViolations(t *testing.T) {
	f := parse(t, "x.go", `package x
		func F() {}
		type T struct{}
		func (*T) M() {}
		func (*T) String() string { return "" }
		type t struct{}
		func (t) M() {}
		const (
			A = 1
			B = 2 // B is said.
		)
		// C is said.
		var C, D = 1, 2
		// Types are said one by one.
		type (
			U int
			// V is said.
			V int
		)`)
	wantRed(t, undocumented("x.go", f), "F has", "T has", "M has", "A has", "U has")
}

// Every package that others may import shows its use by an example that runs: one with an output to compare.
func TestEveryPackageHasAnExample(t *testing.T) {
	for _, p := range list(t, "linux", "./...") {
		top, _, _ := strings.Cut(p.rel(), "/")
		if top == "internal" || top == "cmd" {
			continue
		}
		var parsed []*ast.File
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, f)
		}
		if !runs(doc.Examples(parsed...)) {
			t.Errorf("%s: no example that runs", p.rel())
		}
	}
}

func runs(examples []*doc.Example) bool {
	for _, e := range examples {
		if e.Output != "" || e.EmptyOutput {
			return true
		}
	}
	return false
}

func TestExampleRuleSeesViolations(t *testing.T) {
	const only = "package x_test\nfunc Example() {\n\tprintln(1)\n"
	if runs(doc.Examples(parse(t, "x_test.go", only+"}"))) {
		t.Error("an example that is only compiled counts as one that runs")
	}
	if !runs(doc.Examples(parse(t, "x_test.go", only+"\t// Output: 1\n}"))) {
		t.Error("an example with an output does not count")
	}
}
