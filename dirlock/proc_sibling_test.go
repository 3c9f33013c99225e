//go:build linux

package dirlock_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// With the defaults, and a volume on a local file system: two beats at most pass after the last one of a sibling that was watched, three
// after that of one that was not.
func TestProcKilledSiblingIsReplacedInThreeSeconds(t *testing.T) {
	proctest.Root(t, "unshare")
	for what, watched := range map[string]bool{"watched": true, "newcomer": false} {
		t.Run(what, func(t *testing.T) {
			proctest.Each(t, func(t *testing.T, dir string) {
				t.Parallel()
				cfg := witnessed(t, proctest.Config{Path: filepath.Join(dir, "lock")})
				holder, waiter := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg, elsewhere())
				holder.Want("ACQ", "acquire")
				if watched {
					waiter.Send("acquire")
					waiter.Quiet(2 * time.Second)
				}
				killed := time.Now()
				holder.Kill()
				if !watched {
					waiter.Send("acquire")
				}
				waiter.Expect("ACQ", proctest.Patience)
				took := time.Since(killed)
				t.Logf("taken over after %v", took.Round(time.Millisecond))
				if took > 3*time.Second+busy { // still less than the mtime rule takes
					t.Error("that is too long")
				}
				waiter.Want("REL", "release")
				sole(t, dir)
			})
		})
	}
}

// A sibling that is stopped has its guard: nothing but the mtime rule may take it over, and that does.
func TestProcStoppedSiblingIsLeftAlone(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	holder, waiter := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg, elsewhere())
	holder.Want("ACQ", "acquire")
	holder.Stop()
	stopped := time.Now()
	waiter.Send("acquire")
	waiter.Quiet(cfg.Stale - cfg.Heartbeat - 100*time.Millisecond)
	waiter.Expect("ACQ", cfg.Stale+stamp.Confirm(cfg.Heartbeat, cfg.Stale)+proctest.Patience)
	t.Logf("taken over after %v", time.Since(stopped).Round(time.Millisecond))
	holder.Cont()
	holder.Lost(proctest.Patience)
	waiter.Want("OK", "check")
	holder.Want("LOST", "release")
	waiter.Want("REL", "release")
	sole(t, dir)
}

// What a waiter is told about a sibling, before and after.
func TestProcSiblingsAreSpokenOf(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	holder, waiter := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg, elsewhere())
	holder.Want("ACQ", "acquire")
	if text := waiter.Want("HELD", "acquire", "wait=1s"); !strings.Contains(text, "in another pid namespace of this kernel") {
		t.Error(text)
	}
	holder.Stop()
	proctest.Until(t, proctest.Patience, "it is silent", func() bool {
		text := waiter.Want("STATE", "inspect")
		return strings.HasPrefix(text, "suspect") && strings.Contains(text, "its stamp is locked")
	})
	holder.Kill()
	proctest.Until(t, proctest.Patience, "it is known to be dead", func() bool {
		text := waiter.Want("STATE", "inspect")
		return strings.HasPrefix(text, "stale") && strings.Contains(text, "is dead (the lock on its stamp was dropped)")
	})
	waiter.Want("ACQ", "acquire")
	waiter.Want("REL", "release")
	sole(t, dir)
}

// Where locks are not known to be seen by all who reach the file, no stamp promises a guard, and none is tried.
func TestProcSiblingWhereThereAreNoGuards(t *testing.T) {
	proctest.Root(t, "unshare", "nsenter", "mount")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	first := proctest.Start(t, cfg, onRamfs(dir))
	holder := proctest.Start(t, cfg, beside(first, container...))
	waiter := proctest.Start(t, cfg, beside(first, container...))
	name := holder.Want("ACQ", "acquire")
	if s, err := stamp.Parse(name); err != nil || s.Guarded() {
		t.Errorf("%s promises a guard (%v)", name, err)
	}
	waiter.Send("acquire")
	waiter.Quiet(2 * cfg.Heartbeat)
	killed := time.Now()
	holder.Kill()
	waiter.Expect("ACQ", proctest.Patience)
	if took, least := time.Since(killed), cfg.Stale-cfg.Heartbeat-50*time.Millisecond; took < least {
		t.Errorf("taken over after %v, and nobody could know of the death before %v had passed", took, least)
	}
	waiter.Want("REL", "release")
}
