//go:build linux

package dirlock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// Somebody tidies up.
func TestProcRemovedFromOutside(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		t.Run(map[bool]string{false: "stamp", true: "directory"}[all], func(t *testing.T) {
			t.Parallel()
			proctest.Each(t, func(t *testing.T, dir string) {
				t.Parallel()
				cfg := proctest.Quick(filepath.Join(dir, "lock"))
				holder := proctest.Start(t, cfg)
				token := holder.Want("ACQ", "acquire")
				time.Sleep(cfg.Heartbeat) // so that it is in the midst of beating
				if err := os.Remove(filepath.Join(cfg.Path, token)); err != nil {
					t.Fatal(err)
				}
				if all {
					if err := os.Remove(cfg.Path); err != nil {
						t.Fatal(err)
					}
				}
				begin := time.Now()
				how := holder.Lost(proctest.Patience)
				if took := time.Since(begin); took > 2*cfg.Heartbeat+busy {
					t.Errorf("lost after %v, and a beat is %v", took, cfg.Heartbeat)
				}
				if !strings.Contains(how, "gone") {
					t.Error(how)
				}
				holder.Want("LOST", "check")
				time.Sleep(3 * cfg.Heartbeat)
				if names := proctest.Names(dir); names != map[bool]string{false: "lock", true: ""}[all] {
					t.Errorf("a beat made something: %s", names)
				}
				holder.Want("LOST", "release")
				taken(t, cfg)
				sole(t, dir)
			})
		})
	}
}

// beating starts a holder whose beats are put to f, with their number, those of the check on acquiring not counted. Number
// 0 is a new stamp: the first, and more if the machine has the holder starve.
func beating(t *testing.T, dir string, f func(n int, path string) proctest.Reply, options ...proctest.Option) *proctest.Proc {
	t.Helper()
	holder := proctest.Start(t, proctest.Quick(filepath.Join(dir, "lock")), options...)
	var acquired, beats counter
	holder.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.What() == "create stamp" {
			f(0, c.Path)
		}
		if c.Name != "utimensat" || acquired.get() == 0 {
			return proctest.Reply{}
		}
		return f(beats.add(1), c.Path)
	})
	holder.Want("ACQ", "acquire")
	acquired.add(1)
	return holder
}

// One beat fails, or a few do: the next one is as good.
func TestProcTransientBeatErrors(t *testing.T) {
	t.Parallel()
	for _, errno := range []unix.Errno{unix.EIO, unix.ESTALE, unix.EACCES, unix.EINTR} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			var failed, sent counter
			holder := beating(t, dir, func(n int, _ string) proctest.Reply {
				sent.add(1)
				if n%4 == 2 {
					failed.add(1)
					return proctest.Reply{Errno: errno}
				}
				return proctest.Reply{}
			})
			time.Sleep(3 * holder.Stale)
			if failed.get() < 3 || sent.get() < 15 {
				t.Errorf("%d of %d beats failed: this was no test", failed.get(), sent.get())
			}
			intact(t, holder)
			holder.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// All beats fail: the lock ends a margin before others may take it, and not before its lease does.
func TestProcFailingBeatsEndTheLock(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]func(path string) proctest.Reply{
		"EIO":             func(string) proctest.Reply { return proctest.Reply{Errno: unix.EIO} },
		"EROFS":           func(string) proctest.Reply { return proctest.Reply{Errno: unix.EROFS} },
		"hangs":           func(string) proctest.Reply { time.Sleep(2 * proctest.Quick("").Stale); return proctest.Reply{} },
		"moves no mtimes": func(string) proctest.Reply { return proctest.Reply{Fake: true} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			last := make(chan time.Time, 100)
			holder := beating(t, dir, func(n int, path string) proctest.Reply {
				if n <= 5 {
					last <- time.Now()
					return proctest.Reply{}
				}
				return reply(path)
			})
			holder.Lost(proctest.Patience)
			now := time.Now()
			var sent time.Time
			for len(last) > 0 {
				sent = <-last
			}
			lease := holder.Stale - holder.Stale/3
			if lived := now.Sub(sent); lived < lease-150*time.Millisecond || lived >= holder.Stale {
				t.Errorf("it ended %v after the last good beat, the lease is %v, and others wait for %v", lived, lease, holder.Stale)
			}
			if holder.Want("LOST", "check"); !proctest.Exists(holder.Path) {
				t.Error("the stamp stays until Release")
			}
			holder.Want("LOST", "release")
			taken(t, holder.Config)
			sole(t, dir)
		})
	}
}

// A mount that turns read-only under the holder.
func TestProcReadOnlyUnderTheHolder(t *testing.T) {
	t.Parallel()
	p, _ := small(t, "size=1m", "true")
	p.Want("ACQ", "acquire")
	remount(t, p, "ro")
	begin := time.Now()
	p.Lost(proctest.Patience)
	if took := time.Since(begin); took >= p.Stale {
		t.Errorf("lost after %v, when others may have the lock already", took)
	}
	remount(t, p, "rw")
	p.Want("LOST", "release")
	works(t, p)
}

// A mount on which a heartbeat moves nothing: nobody could see the holder alive, so there is no lock to be had.
func TestProcMountWithoutBeats(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	p := proctest.Start(t, proctest.Quick(filepath.Join(dir, "lock")))
	p.Guard(dir, func(c proctest.Call) proctest.Reply { return proctest.Reply{Fake: c.Name == "utimensat"} })
	if answer := p.Want("ERR", "acquire"); !strings.Contains(answer, "does not move") {
		t.Error(answer)
	}
	sole(t, dir)
}
