package container

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/aac6cccc/mkdirlock/"

// No decision depends on this package: those that decide must not even be able to ask it.
func TestNobodyDecidesByIt(t *testing.T) {
	for _, pkg := range []string{"stamp", "heartbeat"} {
		for _, dep := range deps(t, pkg) {
			if dep == module+"container" {
				t.Errorf("%s imports container", pkg)
			}
		}
	}
	for _, dep := range deps(t, "container") {
		if strings.HasPrefix(dep, module) && dep != module+"container" {
			t.Errorf("container imports %s: it should stand alone", dep)
		}
	}
}

func deps(t *testing.T, pkg string) []string {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command("go", "list", "-deps", module+pkg)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, stderr.String())
	}
	list := strings.Fields(string(out))
	if len(list) < 2 {
		t.Fatalf("%v: %q", cmd, out)
	}
	return list
}
