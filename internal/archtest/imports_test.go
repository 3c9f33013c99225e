package archtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// layers says which top-level directories of the module a package's code may import from, for a package or for all below
// a top-level directory. Whatever is not named here breaks the rule, so that a new one gets its place on purpose.
var layers = map[string][]string{
	"cmd":       {"dirlock", "heartbeat", "stamp", "container", "internal"},
	"dirlock":   {"heartbeat", "stamp", "container", "internal"},
	"heartbeat": {"stamp", "internal"},
	"stamp":     {"internal"},
	"container": {"internal"},
	"internal":  {"internal"},

	// The one place where the surroundings of a lock are put together.
	"internal/world": {"stamp", "container", "internal"},

	// The simulator runs what ships. It is in nobody's list: nothing that ships runs it.
	"proptest": {"dirlock", "heartbeat", "stamp", "internal"},
}

// What is simulated instead of the system. Code that ships must not reach it, or it would ship too.
var simulated = []string{"internal/memfs", "internal/simkernel", "internal/faultfs", "internal/model"}

// These reach the system behind the seam's back, where neither a simulated file system nor a simulated clock is.
var systemImports = []string{"os", "os/exec", "os/signal", "os/user", "syscall", "io/ioutil", "golang.org/x/sys"}

// The protocol's packages, which must be runnable on a simulated file system as they are.
var protocol = []string{"dirlock", "heartbeat"}

func TestImportsPointOneWay(t *testing.T) {
	for _, goos := range systems {
		pkgs := list(t, goos, "./...")
		for _, want := range []string{"cmd/dirlock", "dirlock", "heartbeat", "stamp", "container", "internal/fsys", "proptest"} {
			if !slices.ContainsFunc(pkgs, func(p pkg) bool { return p.rel() == want }) {
				t.Errorf("%s: package %s is missing: its rules would hold of nothing", goos, want)
			}
		}
		for _, p := range pkgs {
			report(t, wrongWay(goos, p))
		}
	}
}

func TestProtocolImportsNoSystem(t *testing.T) {
	for _, goos := range systems {
		for _, name := range protocol {
			for _, p := range list(t, goos, "./"+name) {
				report(t, systemImported(goos, p))
			}
		}
	}
}

// An importer of the lock gets these modules and no others. What tests and the command need does not count.
func TestDependenciesOfAnImporter(t *testing.T) {
	allowed := []string{module, "github.com/google/uuid", "golang.org/x/sys", "github.com/fsnotify/fsnotify"}
	for _, goos := range systems {
		report(t, strangers(goos, list(t, goos, "-deps", "./dirlock"), allowed))
	}
}

func wrongWay(goos string, p pkg) (violations []string) {
	if isHelper(p.rel()) {
		return nil
	}
	allowed, known := layers[p.rel()]
	if !known {
		from, _, _ := strings.Cut(p.rel(), "/")
		allowed, known = layers[from]
	}
	if !known {
		return []string{fmt.Sprintf("%s: %s has no place among the layers", goos, p.ImportPath)}
	}
	for _, imp := range p.Imports {
		to, inside := strings.CutPrefix(imp, module+"/")
		if !inside {
			continue
		}
		top, _, _ := strings.Cut(to, "/")
		if !slices.Contains(allowed, top) || isHelper(to) || slices.Contains(simulated, to) && !simulates(p.rel()) {
			violations = append(violations, fmt.Sprintf("%s: %s must not import %s", goos, p.rel(), to))
		}
	}
	return violations
}

// isHelper reports whether a package is there for tests only: it may use what it likes, and no code that ships may use it.
func isHelper(rel string) bool {
	top, rest, _ := strings.Cut(rel, "/")
	lab, _, _ := strings.Cut(rest, "/")
	return top == "internal" && (lab == "netlab" || lab == "containerlab" || strings.HasSuffix(rel, "test"))
}

// simulates reports whether a package is there for simulations.
func simulates(rel string) bool { return rel == "proptest" || slices.Contains(simulated, rel) }

func systemImported(goos string, p pkg) (violations []string) {
	for _, imp := range p.Imports {
		for _, bad := range systemImports {
			if imp == bad || strings.HasPrefix(imp, "golang.org/x/sys/") && bad == "golang.org/x/sys" {
				violations = append(violations, fmt.Sprintf("%s: %s imports %s: ask the system through internal/fsys or stamp", goos, p.rel(), imp))
			}
		}
	}
	return violations
}

func strangers(goos string, deps []pkg, allowed []string) (violations []string) {
	for _, p := range deps {
		if p.Standard {
			continue
		}
		if p.Module == nil || !slices.Contains(allowed, p.Module.Path) {
			violations = append(violations, fmt.Sprintf("%s: dirlock depends on %s", goos, p.ImportPath))
		}
	}
	return violations
}

// The rules themselves: each must see what it is there for.
func TestImportRulesSeeViolations(t *testing.T) {
	p := pkg{ImportPath: module + "/stamp", Imports: []string{"fmt", module + "/internal/fsys", module + "/heartbeat", module + "/dirlock"}}
	wantRed(t, wrongWay("linux", p), "stamp must not import heartbeat", "stamp must not import dirlock")
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/heartbeat", Imports: []string{module + "/container"}}), "heartbeat must not import container")
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/misc"}), "no place among the layers")
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/internal/proctest", Imports: []string{module + "/dirlock"}}))
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/dirlock", Imports: []string{module + "/internal/proctest"}}), "dirlock must not import internal/proctest")
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/dirlock", Imports: []string{module + "/proptest", module + "/internal/memfs"}}),
		"dirlock must not import proptest", "dirlock must not import internal/memfs")
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/internal/world", Imports: []string{module + "/internal/simkernel"}}), "must not import internal/simkernel")
	wantRed(t, wrongWay("linux", pkg{ImportPath: module + "/proptest", Imports: []string{module + "/internal/memfs", module + "/dirlock", module + "/container"}}),
		"proptest must not import container")

	p = pkg{ImportPath: module + "/dirlock", Imports: []string{"io/fs", "os", "syscall", "golang.org/x/sys/unix", "context"}}
	wantRed(t, systemImported("linux", p), "imports os", "imports syscall", "imports golang.org/x/sys/unix")

	mod := func(path string) *struct{ Path string } { return &struct{ Path string }{path} }
	deps := []pkg{{ImportPath: "fmt", Standard: true}, {ImportPath: "a/b", Module: mod("a")}, {ImportPath: "c/d", Module: mod("c")}}
	wantRed(t, strangers("linux", deps, []string{"a"}), "depends on c/d")
}
