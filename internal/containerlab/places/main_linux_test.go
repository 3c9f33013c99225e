package places

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main()
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}

// place is what the status of a lock says of where it lies.
type place struct{ Visibility, Evidence string }

// command builds the command into a directory that containers are given, so that it needs nothing of where it runs.
func command(t *testing.T) (dir string) {
	t.Helper()
	dir = proctest.Disk(t)
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "dirlock"), "github.com/aac6cccc/mkdirlock/cmd/dirlock")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// ask is a script that prints the place of a lock in each of these directories, one a line.
func ask(paths map[string]string) string {
	var script strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(paths)) {
		fmt.Fprintf(&script, "/cmd/dirlock status --json %s/mkdirlock-asked\n", strings.TrimSuffix(dir, "/"))
	}
	return script.String()
}

// compare fails the test where the answers are not the right ones. "" is that of a machine.
func compare(t *testing.T, out string, want map[string]string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d answers to %d questions: %s", len(lines), len(want), out)
	}
	for i, dir := range slices.Sorted(maps.Keys(want)) {
		var answer struct{ Place *place }
		if err := json.Unmarshal([]byte(lines[i]), &answer); err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		got := place{}
		if answer.Place != nil {
			got = *answer.Place
		}
		t.Logf("%-12s %-14s %s", dir, got.Visibility, got.Evidence)
		if !slices.Contains(strings.Split(want[dir], "|"), got.Visibility) || (got.Evidence == "") != (want[dir] == "") {
			t.Errorf("%s is %+v, want %q", dir, got, want[dir])
		}
	}
}

// kinds are the engines in all their forms.
var kinds = []containerlab.Kind{
	containerlab.Docker, containerlab.Podman, containerlab.Rootless,
	{Engine: "docker", Storage: "vfs"},
	{Engine: "podman", Storage: "vfs", OCI: "runc"},
	{Engine: "podman", Storage: "fuse-overlayfs"},
	{Engine: "rootless", Storage: "vfs", OCI: "runc"},
	{Engine: "rootless", Storage: "fuse-overlayfs"},
}
