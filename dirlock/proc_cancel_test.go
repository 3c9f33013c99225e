//go:build linux

package dirlock_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A wait that is called off at any moment leaves nothing. Not parallel: it counts what the process has.
func TestProcCancelAtAnyMoment(t *testing.T) {
	proctest.Each(t, func(t *testing.T, dir string) {
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		m := cfg.Mutex()
		rival := proctest.Start(t, cfg)
		once(t, m, context.Background()) // what is started once and kept is started
		var goroutines, files int
		settle := func() bool { return runtime.NumGoroutine() <= goroutines && descriptors(t) <= files }
		goroutines, files = runtime.NumGoroutine(), descriptors(t)

		begin := time.Now()
		span := 500 * time.Microsecond // grows and shrinks so that about half of the moments fall into acquiring
		var got, not int
		for i := range 500 { // on each of two file systems
			if i%100 == 50 { // and a while with somebody in the way
				rival.Send("turn", "20ms")
			}
			ctx, cancel := context.WithCancel(context.Background())
			timer := time.AfterFunc(rand.N(2*span), cancel)
			if once(t, m, ctx) {
				got++
				span -= span / 20
			} else {
				not++
				span += span / 20
			}
			timer.Stop()
			cancel()
			if i%100 == 50 {
				rival.Expect("DONE", proctest.Patience)
			}
		}
		t.Logf("in %v: got %d times, called off %d times", time.Since(begin).Round(time.Millisecond), got, not)
		if got < 40 || not < 40 { // a timer of less than its tick is late, and on tmpfs an acquisition is sooner
			t.Errorf("the moments were badly chosen: got %d times, called off %d times", got, not)
		}
		proctest.Until(t, proctest.Patience, "all goroutines and descriptors are gone", settle)
		proctest.Until(t, proctest.Patience, "the directory is gone", func() bool { return proctest.Names(dir) == "" })
	})
}

// once acquires and releases, and reports whether that was not called off.
func once(t *testing.T, m *dirlock.Mutex, ctx context.Context) bool {
	t.Helper()
	lock, err := m.Acquire(ctx)
	switch {
	case err == nil:
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
		return true
	case errors.Is(err, context.Canceled):
		return false
	}
	t.Fatal(err)
	return false
}

// What the caller does with its context afterwards is no concern of the lock's.
func TestProcLockOutlivesTheContext(t *testing.T) {
	t.Parallel()
	cfg := proctest.Quick(filepath.Join(proctest.Disk(t), "lock"))
	ctx, cancel := context.WithCancel(context.Background())
	lock, err := cfg.Mutex().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	time.Sleep(2 * cfg.Stale)
	if err := lock.Check(); err != nil {
		t.Error(err)
	}
	if err := lock.Context().Err(); err != nil {
		t.Error(context.Cause(lock.Context()))
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}
