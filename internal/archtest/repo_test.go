package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/aac6cccc/mkdirlock"

// root is the repository, where the tests' own directory is two levels down.
var root = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// systems are those that the code must build for. The rules hold on each, since a file for one of them may break a rule unseen.
var systems = []string{"linux", "darwin", "windows", "freebsd", "openbsd", "netbsd"}

// pkg is what the rules ask of a package: a part of what "go list -json" prints.
type pkg struct {
	ImportPath   string
	Dir          string
	Standard     bool
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	Deps         []string
	Module       *struct{ Path string }
}

// rel is the package's place in the module: "dirlock", "internal/fsys".
func (p pkg) rel() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

// list runs go list for one system. A pattern that matches nothing, or a package that does not load, fails the test: a rule
// about what is not there must not pass.
func list(t *testing.T, goos string, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Standard,GoFiles,TestGoFiles,XTestGoFiles,Imports,Deps,Module"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) == 0 {
		t.Fatalf("%s: no packages\n%s", cmd, &stderr)
	}
	return pkgs
}

var tracked = sync.OnceValues(func() ([]string, error) {
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		cmd := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
	}
	// Unpacked without its history: all that is here.
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
})

// files returns the repository's files whose name ends so, as slash-separated paths below root, with their contents.
func files(t *testing.T, suffix string) map[string]string {
	t.Helper()
	names, err := tracked()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, name := range names {
		if !strings.HasSuffix(name, suffix) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		m[name] = string(data)
	}
	if len(m) == 0 {
		t.Fatalf("no files *%s in %s", suffix, root)
	}
	return m
}

// report fails the test with each of the violations.
func report(t *testing.T, violations []string) {
	t.Helper()
	for _, v := range violations {
		t.Error(v)
	}
}

// wantRed checks a rule on something that breaks it: exactly these violations, each by a part of its text.
func wantRed(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d violations, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("violation %q, want it to name %q", got[i], want[i])
		}
	}
}
