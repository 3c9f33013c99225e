//go:build linux

package dirlock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// The lock directory, or what it is in, is moved away while held, and another takes the old path.
func TestProcMovedAway(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"lock", "parent"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			parent := filepath.Join(dir, "parent")
			if err := os.Mkdir(parent, 0o777); err != nil {
				t.Fatal(err)
			}
			cfg := proctest.Quick(filepath.Join(parent, "lock"))
			holder, newcomer := proctest.Start(t, cfg), proctest.Start(t, cfg)
			token := holder.Want("ACQ", "acquire")
			moved := filepath.Join(dir, "moved")
			old := map[string]string{"lock": cfg.Path, "parent": parent}[what]
			if err := os.Rename(old, moved); err != nil {
				t.Fatal(err)
			}
			if what == "parent" {
				if err := os.Mkdir(parent, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			newcomer.Want("ACQ", "acquire")
			holder.Lost(proctest.Patience)
			if took := time.Since(begin); took > 2*cfg.Heartbeat+busy {
				t.Errorf("the loss was noticed after %v, and a beat is %v", took, cfg.Heartbeat)
			}
			holder.Want("LOST", "check")
			intact(t, newcomer)
			holder.Want("LOST", "release")
			time.Sleep(2 * cfg.Heartbeat)
			intact(t, newcomer)
			if what == "lock" && proctest.Names(moved) != token {
				t.Errorf("what was moved away was touched: %s", proctest.Names(moved))
			}
			newcomer.Want("REL", "release")
			sole(t, parent)
		})
	}
}

// Check does not wait for a heartbeat to find out.
func TestProcCheckSeesAMove(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Heartbeat, cfg.Stale = 10*time.Second, time.Minute
	holder := proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	if err := os.Rename(cfg.Path, cfg.Path+".moved"); err != nil {
		t.Fatal(err)
	}
	holder.Want("LOST", "check")
	holder.Want("ENDED", "context")
}

// The way to the lock leads through a link that is turned elsewhere while it is held: it is kept where it was taken.
func TestProcLinkOnTheWayIsTurned(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	way := filepath.Join(dir, "way")
	link(t, "a", way)
	cfg := proctest.Quick(filepath.Join(way, "lock"))
	holder, other := proctest.Start(t, cfg), proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	if err := os.Remove(way); err != nil {
		t.Fatal(err)
	}
	link(t, "b", way)
	other.Want("ACQ", "acquire")
	time.Sleep(2 * cfg.Stale)
	holder.Want("OK", "check")
	other.Want("OK", "check")
	holder.Want("REL", "release")
	other.Want("REL", "release")
	sole(t, filepath.Join(dir, "a"))
	sole(t, filepath.Join(dir, "b"))
}

// A path that is a symbolic link is not followed, whatever is behind it, a live lock included.
func TestProcLinkToALock(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	holder := proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	link(t, "lock", filepath.Join(dir, "link"))
	if answer := holder.Say("try", "path="+filepath.Join(dir, "link")); !strings.Contains(answer, "not a lock") {
		t.Error(answer)
	}
}
