package proptest

import (
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/world"
)

// disguise names one of disguises, by which all processes of a run take themselves for what they are not.
const disguise = "PROPTEST_DISGUISE"

// disguises are what package container might say: nothing, the truth, and anything else. A truth is the same for all, a lie differs from process to
// process and from call to call.
var disguises = map[string]func(w *world.World){
	"off": func(w *world.World) {
		w.Tell = func() (string, string) { return "", "" }
		w.Where = nil
	},
	"on": func(w *world.World) {
		w.Tell = func() (string, string) { return "worker", "docker 0123456789ab" }
		w.Where = func(string) container.Place {
			return container.Place{Visibility: container.Shared, Evidence: "a volume"}
		}
	},
	"wrong": func(w *world.World) {
		calls := 0
		w.Tell = func() (string, string) {
			calls++
			return strings.Repeat("x", calls%5000), []string{"podman (rootless, host's pids)", "wsl", "kubernetes\x00\n", ""}[calls%4]
		}
		w.Where = func(string) container.Place {
			calls++
			return container.Place{Visibility: container.OwnLayer, Evidence: "not true"}
		}
	},
}

func init() {
	change := disguises[os.Getenv(disguise)]
	if change == nil {
		return
	}
	honest := world.NewProcess
	world.NewProcess = func(w *world.World) any {
		change(w)
		return honest(w)
	}
}

// forPeople is what a text says of a holder by what it said of itself.
var forPeople = regexp.MustCompile(`(program|container) "([^"\\]|\\.)*", `)

// hashOf names a trace; in disguise, without what is meant to differ.
func hashOf(w *World) uint64 {
	if os.Getenv(disguise) == "" {
		return w.Hash()
	}
	h := fnv.New64a()
	for _, e := range w.trace.events {
		if e.err != nil {
			fmt.Fprint(h, forPeople.ReplaceAllString(e.err.Error(), ""))
		}
		e.err = nil
		fmt.Fprintln(h, e)
	}
	return h.Sum64()
}

// No decision depends on what package container says: whatever it is, the same schedules come to the same calls with the same answers at the
// same times.
func TestDetectionDecidesNothing(t *testing.T) {
	if os.Getenv("PROPTEST_HASH") != "" {
		t.Skip("this is a run that is compared")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	checks := "60"
	if testing.Short() {
		checks = "20"
	}
	seen := map[string][]string{}
	for name := range disguises {
		cmd := exec.Command(exe, "-test.run", "^Test("+strings.Join(sortedKeys(profiles), "|")+")$", "-test.v",
			"-rapid.seed=21", "-rapid.checks="+checks, "-rapid.nofailfile")
		cmd.Env = append(os.Environ(), "PROPTEST_HASH=1", disguise+"="+name)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if seen[name] = hashLines(string(out)); len(seen[name]) != len(profiles) {
			t.Fatalf("%s: %d hashes of %d properties:\n%s", name, len(seen[name]), len(profiles), out)
		}
	}
	for name, hashes := range seen {
		if !slices.Equal(hashes, seen["off"]) {
			t.Errorf("detection %s:\n%s\noff:\n%s", name, strings.Join(hashes, "\n"), strings.Join(seen["off"], "\n"))
		}
	}
}
