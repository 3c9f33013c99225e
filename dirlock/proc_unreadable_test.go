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

// A directory that cannot be listed may hold anybody.
func TestProcUnlistableDirectory(t *testing.T) {
	proctest.Root(t, "setpriv")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	private := cfg
	private.Mode = 0o700
	holder, waiter := proctest.Start(t, private), proctest.Start(t, cfg, proctest.AsNobody(t))
	holder.Want("ACQ", "acquire")
	holder.Stop()
	text := waiter.Want("HELD", "acquire", "wait="+(3*cfg.Stale).String())
	if !strings.Contains(text, "permission denied") {
		t.Error("it does not say why: ", text)
	}
	holder.Cont()
	holder.Want("OK", "check")
	holder.Want("REL", "release")
	sole(t, dir)
}

// A stamp that cannot be removed is told with the system's reason, and not tried all the time.
func TestProcUnremovableStamp(t *testing.T) {
	proctest.Root(t, "setpriv")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Forge(t, time.Hour, proctest.Dead(t))
	if err := unix.Chmod(cfg.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	waiter := proctest.Start(t, cfg, proctest.AsNobody(t))
	var tries counter
	waiter.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.Name == "unlinkat" {
			tries.add(1)
		}
		return proctest.Reply{}
	})
	text := waiter.Want("HELD", "acquire", "wait=2s")
	if !strings.Contains(text, "permission denied") {
		t.Error("it does not say what is in the way: ", text)
	}
	if n := tries.get(); n == 0 || n > 40 {
		t.Errorf("%d attempts to remove it in 2 s", n)
	}
}

// Only "no such file" is a word on a stamp's absence: a living foreign owner is not robbed by a failing disk.
func TestProcUnreadableIsNotMissing(t *testing.T) {
	t.Parallel()
	for _, errno := range []unix.Errno{unix.EIO, unix.EACCES, unix.ESTALE, unix.ETIMEDOUT} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := proctest.Quick(filepath.Join(dir, "lock"))
			waiter := proctest.Start(t, cfg)
			cfg.Forge(t, time.Hour, proctest.Foreign)
			f := newFault(errno, onStamp("statx"))
			waiter.Guard(dir, f.reply)
			waiter.Want("HELD", "acquire", "wait="+(3*cfg.Stale).String())
			f.set(false)
			waiter.Want("ACQ", "acquire")
			waiter.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// The same of listing it.
func TestProcFailingListingIsNotEmpty(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	waiter := proctest.Start(t, cfg)
	cfg.Forge(t, time.Hour, proctest.Foreign)
	f := newFault(unix.EIO, func(c proctest.Call) bool { return c.Name == "getdents64" })
	waiter.Guard(dir, f.reply)
	if text := waiter.Want("HELD", "acquire", "wait="+(3*cfg.Stale).String()); !strings.Contains(text, "input/output") {
		t.Error("it does not say why: ", text)
	}
	f.set(false)
	waiter.Want("ACQ", "acquire")
	waiter.Want("REL", "release")
	sole(t, dir)
}
