//go:build linux

package dirlock_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// counter counts in several goroutines.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	return c.n
}

func (c *counter) get() int { return c.add(0) }

func TestProcReleaseTwice(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	lock, err := cfg.Mutex().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	next := proctest.Start(t, cfg)
	next.Want("ACQ", "acquire")
	if err := lock.Release(); err != dirlock.ErrReleased {
		t.Errorf("the second time it says %v", err)
	}
	if err := lock.Check(); !errors.Is(err, dirlock.ErrReleased) {
		t.Errorf("Check says %v", err)
	}
	if cause := context.Cause(lock.Context()); cause != dirlock.ErrReleased {
		t.Errorf("the context's cause is %v", cause)
	}
	intact(t, next)
}

func TestProcReleaseConcurrently(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Heartbeat = 10 * time.Millisecond // so that beats fall among them
	for range 50 {
		lock, err := cfg.Mutex().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var good, late counter
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				switch err := lock.Release(); err {
				case nil:
					good.add(1)
				case dirlock.ErrReleased:
					late.add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if good.get() != 1 || late.get() != 3 {
			t.Errorf("%d released it, %d came late", good.get(), late.get())
		}
		sole(t, dir)
	}
}

// robbed returns a foreign holder that is stopped, and one here that took the lock over from it.
func robbed(t *testing.T) (dir string, old, successor *proctest.Proc) {
	t.Helper()
	proctest.Root(t, "unshare")
	dir = proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	old, successor = proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg)
	old.Want("ACQ", "acquire")
	old.Stop()
	successor.Want("ACQ", "acquire")
	return dir, old, successor
}

// Whatever one that was robbed does first when it wakes up.
func TestProcAfterATakeover(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"release", "check", "wait"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			dir, old, successor := robbed(t)
			before := proctest.Names(dir + "/lock")
			if first != "wait" {
				old.Send(first)
			}
			old.Cont()
			if first != "wait" {
				old.Expect("LOST", proctest.Patience)
			}
			if first != "release" {
				old.Lost(2*old.Heartbeat + 500*time.Millisecond)
				old.Want("ENDED", "context")
				old.Want("LOST", "check")
				old.Want("LOST", "release")
			}
			old.Want("ERR", "release") // the second time
			if after := proctest.Names(dir + "/lock"); after != before {
				t.Errorf("the successor's stamp: %s became %s", before, after)
			}
			intact(t, successor)
			time.Sleep(2 * successor.Stale) // its heartbeat was not disturbed
			intact(t, successor)
			successor.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// The successor has made no stamp yet: there is nothing of the old holder's left to release in its directory.
func TestProcReleaseAmidATakeover(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	old, successor := proctest.Start(t, cfg, elsewhere()), proctest.Start(t, cfg)
	at, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	successor.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.Make {
			once.Do(func() { close(at); <-goOn })
		}
		return proctest.Reply{}
	})
	old.Want("ACQ", "acquire")
	old.Stop()
	successor.Send("acquire")
	<-at // it has evicted the old holder's stamp
	old.Send("release")
	old.Cont()
	old.Expect("LOST", proctest.Patience)
	close(goOn)
	successor.Expect("ACQ", proctest.Patience)
	intact(t, successor)
	successor.Want("REL", "release")
	sole(t, dir)
}
