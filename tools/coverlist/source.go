package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// locate says of each block of the module in root where it is: in which function, and how it begins.
func locate(root string, blocks []*block) error {
	module, err := moduleName(root)
	if err != nil {
		return err
	}
	sources := map[string]*source{}
	alike := map[place][]*block{}
	for _, b := range blocks {
		rel, inside := strings.CutPrefix(b.file, module+"/")
		if !inside {
			return fmt.Errorf("the profile has %s, which is not in module %s", b.file, module)
		}
		s := sources[rel]
		if s == nil {
			if s, err = parseSource(filepath.Join(root, filepath.FromSlash(rel))); err != nil {
				return err
			}
			sources[rel] = s
		}
		pos, err := s.pos(b.start)
		if err != nil {
			return fmt.Errorf("%s: %w: the profile is of another version", rel, err)
		}
		b.place = place{file: rel, fn: s.function(pos), text: s.text(b.start)}
		b.span = s.at(s.span(pos))
		alike[b.place] = append(alike[b.place], b)
	}
	for _, list := range alike {
		for i, b := range list {
			if len(list) > 1 {
				b.nth = i + 1
			}
		}
	}
	return nil
}

func moduleName(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("go.mod names no module")
}

// source is a file, parsed.
type source struct {
	fset  *token.FileSet
	ast   *ast.File
	lines []string // with blanks for comments
}

func parseSource(file string) (*source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &source{fset: token.NewFileSet()}
	if s.ast, err = parser.ParseFile(s.fset, file, text, parser.ParseComments); err != nil {
		return nil, err
	}
	for _, group := range s.ast.Comments {
		for _, c := range group.List {
			for i := s.fset.Position(c.Pos()).Offset; i < s.fset.Position(c.End()).Offset; i++ {
				if text[i] != '\n' {
					text[i] = ' '
				}
			}
		}
	}
	for line := range strings.Lines(string(text)) {
		s.lines = append(s.lines, strings.TrimSuffix(line, "\n"))
	}
	return s, nil
}

func (s *source) file() *token.File { return s.fset.File(s.ast.Pos()) }

func (s *source) pos(p at) (token.Pos, error) {
	if p.line < 1 || p.line > s.file().LineCount() {
		return 0, fmt.Errorf("no line %d", p.line)
	}
	if p.col < 1 || p.col > len(s.lines[p.line-1])+1 {
		return 0, fmt.Errorf("line %d has no column %d", p.line, p.col)
	}
	return s.file().LineStart(p.line) + token.Pos(p.col-1), nil
}

func (s *source) at(pos token.Pos) at {
	p := s.fset.Position(pos)
	return at{p.Line, p.Column}
}

// text is the line at p and, if what begins there begins with the next one, that too.
func (s *source) text(p at) string {
	text := strings.TrimSpace(s.lines[p.line-1])
	switch rest := strings.TrimSpace(s.lines[p.line-1][p.col-1:]); {
	case rest == "", rest == "{":
	default:
		return text
	}
	for _, next := range s.lines[p.line:] {
		if next = strings.TrimSpace(next); next != "" {
			return text + " / " + next
		}
	}
	return text
}

// function is the name of the function around pos, with its receiver's type before it.
func (s *source) function(pos token.Pos) string {
	for _, d := range s.ast.Decls {
		if pos < d.Pos() || pos >= d.End() {
			continue
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || len(d.Recv.List) == 0 {
				return d.Name.Name
			}
			return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
		case *ast.GenDecl: // a function without a name, in a variable
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && pos >= v.Pos() && pos < v.End() {
					return v.Names[0].Name
				}
			}
		}
	}
	return "?"
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// span is the end of what is not reached if what begins at pos is not: that of the block in braces or of the case, if
// pos is its beginning; else that of the statements around it.
func (s *source) span(pos token.Pos) token.Pos {
	end := pos
	ast.Inspect(s.ast, func(n ast.Node) bool { // those further inside come later
		switch n := n.(type) {
		case *ast.BlockStmt:
			if pos >= n.Lbrace && pos < n.Rbrace {
				end = n.End()
			}
		case *ast.CaseClause:
			if pos > n.Colon && pos < n.End() {
				end = n.End()
			}
		case *ast.CommClause:
			if pos > n.Colon && pos < n.End() {
				end = n.End()
			}
		case *ast.IfStmt:
			if n.Else != nil && pos >= n.Body.End() && pos <= n.Else.Pos() { // the profile lets it begin after the brace before it
				end = n.Else.End()
			}
		}
		return true
	})
	return end
}
