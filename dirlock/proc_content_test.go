//go:build linux

package dirlock_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// What is in a stamp decides nothing and cannot hold anybody up.
func TestProcContentDecidesNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"empty":      func(path string) error { return os.Truncate(path, 0) },
		"huge":       func(path string) error { return os.Truncate(path, 10<<30) },
		"nonsense":   func(path string) error { return os.WriteFile(path, []byte("\x00{]\xff"), 0) },
		"unreadable": func(path string) error { return os.Chmod(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			waiter := proctest.Start(t, cfg, proctest.AsNobody(t))
			token := cfg.Forge(t, 0)
			if err := spoil(filepath.Join(cfg.Path, token)); err != nil {
				t.Fatal(err)
			}
			proctest.Age(t, filepath.Join(cfg.Path, token), time.Hour) // the test itself, which lives
			waiter.Want("HELD", "acquire", "wait=2s")
			waiter.Want("HELD", "try")
			if err := os.Remove(filepath.Join(cfg.Path, token)); err != nil {
				t.Fatal(err)
			}
			token = cfg.Forge(t, 0, proctest.Dead(t))
			if err := spoil(filepath.Join(cfg.Path, token)); err != nil {
				t.Fatal(err)
			}
			proctest.Age(t, filepath.Join(cfg.Path, token), time.Hour)
			waiter.Want("ACQ", "acquire")
			waiter.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// A FIFO under a stamp's name is not a stamp, and nobody opens it.
func TestProcFIFOUnderAStampsName(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	holder := proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	fifo := filepath.Join(cfg.Path, cfg.Stamp().Name())
	if err := unix.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	kept(t, cfg, time.Second)
	if _, err := cfg.Mutex().Inspect(); err != nil {
		t.Error(err)
	}
	holder.Want("REL", "release")
	if names := proctest.Names(cfg.Path); names != filepath.Base(fifo)+" "+stamp.Vacant {
		t.Errorf("in the lock's directory: %s", names)
	}
	taken(t, cfg)
	if !proctest.Exists(fifo) {
		t.Error("what was not ours was deleted")
	}
}
