//go:build linux

package dirlock_test

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A foreign holder whose stamp is on disk, but who has not listed yet when others have waited long enough.
func TestProcForeignPausedBetweenCreateAndList(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	for _, at := range []string{"write stamp", "flock stamp", "getdents64 lock"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
			slow, quick := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg)
			here, goOn := make(chan struct{}), make(chan struct{})
			var created, paused bool
			slow.Guard(dir, func(c proctest.Call) proctest.Reply { // one call at a time: nothing beats yet
				created = created || c.What() == "create stamp"
				if created && !paused && c.What() == at {
					paused = true
					close(here)
					<-goOn
				}
				return proctest.Reply{}
			})
			slow.Send("acquire")
			<-here
			quick.Want("ACQ", "acquire") // the pause is longer than the lease, or it has no guard yet
			close(goOn)
			slow.Quiet(cfg.Stale)
			intact(t, quick)
			quick.Want("REL", "release")
			slow.Expect("ACQ", proctest.Patience)
			slow.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// Nobody came meanwhile: the lease has run out all the same, and must not be entered upon.
func TestProcForeignPausedAlone(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	slow := proctest.Start(t, cfg, elsewhere())
	stamps := map[string]bool{}
	var paused bool
	slow.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.What() == "create stamp" {
			for earlier := range stamps { // taking a lapsed lock anew would look like this, but nobody held it yet
				if proctest.Exists(earlier) {
					t.Errorf("a lease that ran out was entered upon: %s is still there when the next one is made", earlier)
				}
			}
			stamps[c.Path] = true
		}
		if len(stamps) == 1 && !paused && c.What() == "getdents64 lock" {
			paused = true
			time.Sleep(cfg.Stale)
		}
		return proctest.Reply{}
	})
	token := slow.Want("ACQ", "acquire")
	if len(stamps) != 2 || !stamps[filepath.Join(cfg.Path, token)] {
		t.Errorf("it holds %s, and made %v: a lease that ran out was entered upon", token, stamps)
	}
	slow.Want("REL", "release")
	sole(t, dir)
}

// touch does what the beat asks, as the server would whose reply is then lost.
func touch(t *testing.T, path string) {
	now := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, now, unix.AT_SYMLINK_NOFOLLOW); err != nil && err != unix.ENOENT {
		t.Error(err)
	}
}

// Beats that arrive and whose replies do not: others see a later life sign than the holder may count on. The witness tells
// if the holder's context still lives when another gets the lock.
func TestProcLostReplyOfABeat(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	stale := proctest.Quick("").Stale
	lost := proctest.Reply{Errno: unix.EIO}
	for name, lose := range map[string]func(n int, path string, over <-chan struct{}) proctest.Reply{
		"all hang":        func(_ int, path string, over <-chan struct{}) proctest.Reply { touch(t, path); <-over; return lost },
		"all fail":        func(_ int, path string, _ <-chan struct{}) proctest.Reply { touch(t, path); return lost },
		"none gets there": func(_ int, _ string, over <-chan struct{}) proctest.Reply { <-over; return lost },
		"one comes late": func(n int, path string, over <-chan struct{}) proctest.Reply {
			if n > 1 {
				<-over
				return lost
			}
			touch(t, path)
			time.Sleep(stale / 2) // within the lease of the beat before
			return proctest.Reply{Fake: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
			holder, waiter := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg)
			over := make(chan struct{})
			var beats counter
			good := make(chan time.Time, 1000)
			holder.Guard(dir, func(c proctest.Call) proctest.Reply {
				if c.What() == "create stamp" { // a life sign, too, and there are more if the machine has it starve
					good <- time.Now()
				}
				if c.Name != "utimensat" {
					return proctest.Reply{}
				}
				n := beats.add(1)
				if n <= 7 {
					good <- time.Now()
				}
				if n <= 6 { // some are well: the check on acquiring, and the first ones
					return proctest.Reply{}
				}
				return lose(n-6, c.Path, over)
			})
			holder.Want("ACQ", "acquire")
			waiter.Send("acquire")
			holder.Lost(proctest.Patience)
			end, last := time.Now(), time.Time{}
			for len(good) > 0 {
				last = <-good
			}
			if lived := end.Sub(last); lived >= cfg.Stale {
				t.Errorf("its context lived for %v after the last beat that it knows of was sent", lived)
			}
			sent := beats.get()
			time.Sleep(5 * cfg.Heartbeat)
			if more := beats.get() - sent; more > 0 {
				t.Errorf("%d beats were sent after the loss", more)
			}
			waiter.Expect("ACQ", proctest.Patience)
			close(over)
			holder.Want("LOST", "release")
			intact(t, waiter)
			waiter.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// A beat that was on its way for so long that another has the lock when it arrives: it finds nothing, and makes nothing.
func TestProcLateBeatRevivesNothing(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	holder, waiter := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg)
	goOn := make(chan struct{})
	var beats counter
	holder.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.Name == "utimensat" && beats.add(1) > 4 {
			<-goOn
		}
		return proctest.Reply{}
	})
	old := holder.Want("ACQ", "acquire")
	token := waiter.Want("ACQ", "acquire")
	holder.Lost(proctest.Patience)
	close(goOn)
	holder.Want("LOST", "check")
	if names := proctest.Names(cfg.Path); names != token {
		t.Errorf("in the lock's directory: %s (the late one was %s)", names, old)
	}
	intact(t, waiter)
	holder.Want("LOST", "release")
	intact(t, waiter)
	waiter.Want("REL", "release")
	sole(t, dir)
}

// A holder of another pid namespace that sleeps for less than others have patience goes on as if nothing had been.
func TestProcForeignShortSleep(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	holder, waiter := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg)
	holder.Want("ACQ", "acquire")
	waiter.Send("acquire")
	for range 3 {
		holder.Stop()
		time.Sleep(cfg.Stale / 4)
		holder.Cont()
		time.Sleep(3 * cfg.Heartbeat)
	}
	holder.Want("OK", "check")
	if losses := holder.Losses(); losses != nil {
		t.Error(losses)
	}
	waiter.Quiet(cfg.Heartbeat)
	holder.Want("REL", "release")
	waiter.Expect("ACQ", proctest.Patience)
}
