//go:build linux

package dirlock_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// With the defaults: a second's heartbeat, thirty seconds of silence for those whom no kernel can speak for.
func TestProcKilledHolderIsReplacedInFiveSeconds(t *testing.T) {
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := witnessed(t, proctest.Config{Path: filepath.Join(dir, "lock")})
		holder, waiter := proctest.Start(t, cfg), proctest.Start(t, cfg)
		holder.Want("ACQ", "acquire")
		waiter.Send("acquire")
		waiter.Quiet(1200 * time.Millisecond) // it has seen a beat
		begin := time.Now()
		holder.Kill()
		waiter.Expect("ACQ", proctest.Patience)
		took := time.Since(begin)
		t.Logf("taken over after %v", took.Round(time.Millisecond))
		if took > 5*time.Second+busy {
			t.Error("that is too long")
		}
		waiter.Want("REL", "release")
		sole(t, dir)
	})
}

// One who comes after the crash has watched nothing.
func TestProcDeadHolderIsReplacedByANewcomer(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Config{Path: filepath.Join(dir, "lock")})
	holder, waiter := proctest.Start(t, cfg), proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	holder.Kill()
	begin := time.Now()
	waiter.Want("ACQ", "acquire")
	if took := time.Since(begin); took > 5*time.Second+busy {
		t.Errorf("it took %v", took)
	}
	waiter.Want("REL", "release")
	sole(t, dir)
}

func TestProcStoppedHolderIsNeverReplaced(t *testing.T) {
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
		holder, waiter := proctest.Start(t, cfg), proctest.Start(t, cfg)
		holder.Want("ACQ", "acquire")
		holder.Stop()
		waiter.Send("acquire")
		waiter.Quiet(3*cfg.Stale + cfg.Heartbeat)
		holder.Cont()
		holder.Want("OK", "check") // blocks until the lapsed lock was taken anew
		holder.Want("LIVE", "context")
		waiter.Quiet(3 * cfg.Heartbeat)
		if losses := holder.Losses(); losses != nil {
			t.Error("lost after the stop:", losses)
		}
		holder.Want("REL", "release")
		waiter.Expect("ACQ", proctest.Patience)
		waiter.Want("REL", "release")
		sole(t, dir)
	})
}

// Nobody else is interested: then there is nothing to lose.
func TestProcStoppedHolderAloneKeepsTheLock(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	holder := proctest.Start(t, cfg)
	before := holder.Want("ACQ", "acquire")
	holder.Stop()
	time.Sleep(2 * cfg.Stale)
	holder.Cont()
	holder.Want("OK", "check")
	after := proctest.Names(cfg.Path)
	if after == before || !strings.HasPrefix(after, "dirlock-1.") || strings.Contains(after, " ") {
		t.Errorf("a lapsed name must give way to a new one: %s became %q", before, after)
	}
	time.Sleep(2 * cfg.Stale) // it lives on
	holder.Want("OK", "check")
	holder.Want("REL", "release")
	if losses := holder.Losses(); losses != nil {
		t.Error(losses)
	}
	sole(t, dir)
}

// kill answers EPERM about another user's process: that is no word of its death.
func TestProcOtherUsersHolderIsNeverReplaced(t *testing.T) {
	proctest.Root(t, "setpriv")
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
		holder, waiter := proctest.Start(t, cfg), proctest.Start(t, cfg, proctest.AsNobody(t))
		holder.Want("ACQ", "acquire")
		holder.Stop()
		if err := unix.Kill(holder.Pid(), 0); err != nil { // or the test would prove nothing
			t.Fatal(err)
		}
		answer := waiter.Say("acquire", "wait="+(3*cfg.Stale).String())
		if !strings.HasPrefix(answer, "HELD ") || !strings.Contains(answer, "EPERM") && !strings.Contains(answer, "permitted") {
			t.Errorf("the waiter says %q", answer)
		}
		holder.Cont()
		holder.Want("OK", "check")
		// Once it is dead the other user may clear it away: the parent's rights are the lock's.
		holder.Kill()
		waiter.Want("ACQ", "acquire")
		waiter.Want("REL", "release")
		sole(t, dir)
	})
}

// A parent that does not wait for its child leaves a corpse that kill finds.
func TestProcUnreapedHolderIsReplaced(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	holder, waiter := proctest.Start(t, cfg, proctest.Unreaped()), proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	pid := holder.Pid()
	holder.Kill()
	if err := unix.Kill(pid, 0); err != nil {
		t.Fatal("the corpse was buried:", err)
	}
	waiter.Want("ACQ", "acquire")
	waiter.Want("REL", "release")
	sole(t, dir)
}

// All that takes a process away without a word to the lock.
func TestProcEndWithoutRelease(t *testing.T) {
	ends := map[string]func(p *proctest.Proc){
		"exit":      func(p *proctest.Proc) { p.Send("exit") },
		"terminate": func(p *proctest.Proc) { unix.Kill(p.Pid(), unix.SIGTERM) },
		"abort":     func(p *proctest.Proc) { unix.Kill(p.Pid(), unix.SIGABRT) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
			holder, waiter := proctest.Start(t, cfg), proctest.Start(t, cfg)
			holder.Want("ACQ", "acquire")
			waiter.Send("acquire")
			end(holder)
			holder.Exited(proctest.Patience)
			waiter.Expect("ACQ", proctest.Patience)
			waiter.Want("REL", "release")
			sole(t, dir)
		})
	}
}
