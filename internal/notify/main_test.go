package notify_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func TestMain(m *testing.M) {
	proctest.Main()
	code := m.Run()
	proctest.Clean()
	os.Exit(code)
}

// over runs a test with each backend.
func over(t *testing.T, f func(t *testing.T, d *notify.Dirs, p *notify.Probe)) {
	names := notify.Backends()
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d, p := notify.DirsOver(name)
			f(t, d, p)
		})
	}
}

// calls counts the calls of what is handed to a Watch.
type calls struct {
	t testing.TB
	n atomic.Int64
}

func (c *calls) call() { c.n.Add(1) }

func (c *calls) count() int { return int(c.n.Load()) }

// reach waits until there have been n calls.
func (c *calls) reach(n int, what string) {
	c.t.Helper()
	proctest.Until(c.t, proctest.Patience, what, func() bool { return c.count() >= n })
}

// watch watches a directory until the test ends.
func watch(t testing.TB, d *notify.Dirs, path string) (*calls, func()) {
	t.Helper()
	c := &calls{t: t}
	stop, err := d.Watch(path, c.call)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return c, stop
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lock makes a directory with these files.
func lock(t testing.TB, path string, names ...string) string {
	t.Helper()
	must(t, os.Mkdir(path, 0o755))
	for _, name := range names {
		must(t, os.WriteFile(filepath.Join(path, name), nil, 0o644))
	}
	return path
}
