// Package workers has nothing but the worker programs, one in each directory, and the test that they keep to the protocol.
package workers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/worker"
	_ "github.com/aac6cccc/mkdirlock/dirlock" // see TestSourcesAreWatched
)

// bin has the workers that need nothing but Go.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if bin, err = os.MkdirTemp("", "workers"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(bin)
		build := exec.Command("go", "build", "-o", bin+"/", "./mkdirlock", "./flock", "./floor")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, build, err)
			return 1
		}
		return m.Run()
	}())
}

// A test's result is kept until what it imports or reads has changed, and programs that it builds are neither. So it reads them,
// and imports what they import.
func TestSourcesAreWatched(t *testing.T) {
	sources, err := filepath.Glob("*/main.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("%v, %v", sources, err)
	}
	for _, s := range sources {
		if _, err := os.ReadFile(s); err != nil {
			t.Error(err)
		}
	}
}

// generous bounds what must happen at some time.
const generous = 30 * time.Second

// start starts a worker on the lock in dir; "mkdirlock" has fast settings, so that a crash is repaired soon.
func start(t *testing.T, name, dir string, env []string, args ...string) *worker.Worker {
	t.Helper()
	env = append([]string{"LOCK_PATH=" + dir + "/lock", "LOCK_PROFILE=fast"}, env...)
	w, err := worker.Start(append([]string{filepath.Join(bin, name)}, args...), env, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Kill() })
	return w
}

func expect(t *testing.T, w *worker.Worker, word string) int64 {
	t.Helper()
	n, err := w.Expect(word, generous)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// each runs a test for some workers.
func each(t *testing.T, names []string, f func(*testing.T, string)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, name)
		})
	}
}

var (
	all   = []string{"mkdirlock", "flock", "floor"}
	locks = all[:2] // those that can wait
	kept  = []string{"mkdirlock", "floor"}
)
