//go:build linux

package fusetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// terms of the many: a lease of four seconds.
var patient = dirlock.Mutex{Heartbeat: time.Second, Stale: 6 * time.Second}

// Thousands of locks on a mount that stalls cost a few threads, all end with their leases, and leave nothing behind once it
// is well again.
func TestManyLocksOnStalledMount(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := 2000
		if long {
			n = min(10000, fitting(t))
		}
		m := mount(t, faultfs.Rule{Cache: time.Hour}) // a beat is one call then, and not three: this is about their number
		cycle(t, m.path("before"))
		before := used(t)
		began := time.Now()
		locks := held(t, m, n, patient)
		t.Logf("%d locks in %v", n, time.Since(began).Round(time.Millisecond))
		before.most(t, "all held", 64)
		time.Sleep(patient.Heartbeat) // a beat of each, so that all leases are young
		lost := 0
		for _, l := range locks {
			if l.Context().Err() != nil {
				lost++
			}
		}
		if lost > 0 {
			t.Fatalf("%d of %d were lost before the mount stalled", lost, n)
		}

		m.stall()
		stalled := time.Now()
		took := calls(t, "the end of the lock", n, func(i int) error {
			ctx := locks[i].Context()
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
				return errors.New("no end within a minute")
			}
			if cause := context.Cause(ctx); !errors.Is(cause, dirlock.ErrLost) {
				return cause
			}
			return nil
		})
		// The last beat was sent before the mount stalled: up to a heartbeat, or what a busy machine makes of it.
		took.within(t, "the end of the lock", 0, lease(patient))
		t.Logf("the last ended %v after the mount had stalled", time.Since(stalled).Round(time.Millisecond))
		before.most(t, "while it stalls", 64)

		m.heal()
		began = time.Now()
		calls(t, "Release", n, func(i int) error { return lostNow(m, locks[i].Release()) }).within(t, "Release", 0, time.Minute)
		t.Logf("all were released in %v", time.Since(began).Round(time.Millisecond))
		before.most(t, "after they were released, all at once", 64)
		m.empty(30 * time.Second)
		before.back(t, 30*time.Second)
	})
}

// fitting is how many locks a server can know: each is a directory and a stamp, and each of those takes a descriptor.
func fitting(t *testing.T) int {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	more := unix.Rlimit{Cur: 1 << 20, Max: 1 << 20} // as the server tries it
	if unix.Setrlimit(unix.RLIMIT_NOFILE, &more) == nil {
		limit = more
	}
	return int(limit.Max-100) / 2
}
