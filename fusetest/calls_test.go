//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// calls makes so many calls at once, waits for all of them, and says how long each took and what is wrong with what it returned.
func calls(t *testing.T, what string, n int, f func(i int) error) times {
	t.Helper()
	var mu sync.Mutex
	var took times
	var bad []error
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			began := time.Now()
			err := f(i)
			d := time.Since(began)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, d)
			if err != nil {
				bad = append(bad, err)
			}
		})
	}
	all.Wait()
	if len(bad) > 0 {
		t.Errorf("%s: %d of %d returned what they should not, such as: %v", what, len(bad), n, bad[0])
	}
	return took
}

// Each call that has a bound keeps it, a hundred at once as well, says what happened, and costs a handful of threads.
func TestTryAcquireOnStalledMount(t *testing.T) {
	for _, paths := range []int{1, 100} {
		t.Run(fmt.Sprint(paths, " paths"), func(t *testing.T) {
			alone(t, func(t *testing.T) {
				m := mount(t)
				cycle(t, m.path("before"))
				before := used(t)
				m.stall()
				took := calls(t, "TryAcquire", 100, func(i int) error {
					path := m.path(fmt.Sprint("lock", i%paths))
					l, err := dirlock.At(path).TryAcquire()
					if l != nil {
						return errors.Join(errors.New("a lock on a mount that stalls"), l.Release())
					}
					return late(path, err)
				})
				took.within(t, "TryAcquire", time.Second, time.Second+50*time.Millisecond)
				before.most(t, "TryAcquire", mostThreads)
				m.heal()
				before.back(t, 30*time.Second)
				m.empty(10 * time.Second)
			})
		})
	}
}

func TestInspectOnStalledMount(t *testing.T) {
	alone(t, func(t *testing.T) {
		m := mount(t)
		cycle(t, m.path("before"))
		before := used(t)
		m.stall()
		took := calls(t, "Inspect", 100, func(i int) error {
			path := m.path(fmt.Sprint("lock", i))
			_, err := (&dirlock.Mutex{Path: path, Wait: time.Second}).Inspect()
			return late(path, err)
		})
		took.within(t, "Inspect", time.Second, time.Second+50*time.Millisecond)
		before.most(t, "Inspect", mostThreads)
		m.heal()
		before.back(t, 30*time.Second)
		m.empty(0)
	})
}

// held takes n locks on terms with a short lease.
func held(t *testing.T, m *bed, n int, terms dirlock.Mutex) []*dirlock.Lock {
	t.Helper()
	locks := make([]*dirlock.Lock, n)
	var mu sync.Mutex
	next := 0
	calls(t, "Acquire", 16, func(int) error {
		for {
			mu.Lock()
			i := next
			next++
			mu.Unlock()
			if i >= n {
				return nil
			}
			terms := terms
			terms.Path, terms.Wait = m.path(fmt.Sprint("lock", i)), time.Minute
			l, err := terms.Acquire(context.Background())
			if err != nil {
				return err
			}
			locks[i] = l
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return locks
}

// short are terms by which a lock lasts for three seconds without a heartbeat, and its lease for two.
var short = dirlock.Mutex{Heartbeat: 500 * time.Millisecond, Stale: 3 * time.Second}

func lease(m dirlock.Mutex) time.Duration { return m.Stale - m.Stale/3 }

// Check waits for an answer as long as the lease lasts, and no longer.
func TestCheckOnStalledMount(t *testing.T) {
	for _, one := range []bool{true, false} {
		t.Run(map[bool]string{true: "one lock", false: "100 locks"}[one], func(t *testing.T) {
			alone(t, func(t *testing.T) {
				m := mount(t)
				cycle(t, m.path("before"))
				before := used(t)
				locks := held(t, m, 100, short)
				m.stall()
				took := calls(t, "Check", 100, func(i int) error {
					l := locks[i]
					if one {
						l = locks[0]
					}
					return lostNow(m, l.Check())
				})
				// A heartbeat may have been sent just before the mount stalled, or nearly a beat earlier; a busy machine sends it later.
				took.within(t, "Check", 0, lease(short)+50*time.Millisecond)
				before.most(t, "Check", mostThreads)
				m.heal()
				calls(t, "Release", len(locks), func(i int) error {
					err := locks[i].Release()
					if err == nil && one && i > 0 {
						return nil // its lease was younger
					}
					return lostNow(m, err)
				})
				before.back(t, 30*time.Second)
				m.empty(10 * time.Second)
			})
		})
	}
}

// lostNow says what is wrong with the error of a call about a lock that was lost.
func lostNow(m *bed, err error) error {
	switch {
	case !errors.Is(err, dirlock.ErrLost):
		return fmt.Errorf("%w: it does not match ErrLost", orNone(err))
	case !strings.Contains(err.Error(), m.Point):
		return fmt.Errorf("%w: it does not name the path", err)
	}
	return nil
}

// Release returns after Stale, and what it began goes on: nothing is left once the mount is well again.
func TestReleaseOnStalledMount(t *testing.T) {
	alone(t, func(t *testing.T) {
		m := mount(t)
		cycle(t, m.path("before"))
		before := used(t)
		locks := held(t, m, 100, short)
		m.stall()
		took := calls(t, "Release", len(locks), func(i int) error { return late(m.Point, locks[i].Release()) })
		took.within(t, "Release", 0, short.Stale+50*time.Millisecond)
		for _, l := range locks {
			if err := l.Release(); !errors.Is(err, dirlock.ErrReleased) {
				t.Fatal("a second Release:", err)
			}
		}
		before.most(t, "Release", mostThreads)
		m.heal()
		m.empty(30 * time.Second)
		before.back(t, 30*time.Second)
	})
}
