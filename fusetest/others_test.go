//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// brisk are terms by which a lock is missed soon.
var brisk = dirlock.Mutex{Heartbeat: 50 * time.Millisecond, Stale: 2 * time.Second}

// A mount that stalls, with locks held on it and more of them wanted, is no trouble to locks elsewhere.
func TestStalledMountAndOthers(t *testing.T) { // beside nothing else: it measures
	for _, c := range []struct {
		what  string
		young bool
		other func(t *testing.T) (point, dir string)
	}{
		{"tmpfs", false, func(t *testing.T) (string, string) { dir := tmpfs(t); return dir, dir }},
		{"another FUSE mount", false, func(t *testing.T) (string, string) { m := mount(t); return m.Point, m.Dir }},
		// As an automounter does it: the lock's own look-up brings the mount about. The directory that it lies on is another mount.
		{"what a young mount lies on", true, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			alone(t, func(t *testing.T) {
				var m *bed
				var point, dir string
				if c.young {
					dir = t.TempDir()
					point = dir
					cycle(t, filepath.Join(dir, "before")) // the table of mounts is known by now
					m = mount(t)
				} else {
					m = mount(t)
					point, dir = c.other(t)
				}
				stalling := held(t, m, 20, short)
				o := others{t: t, point: point, dir: dir}
				o.hold(50)
				o.watch("before", 2*time.Second)
				m.stall()
				stop := make(chan struct{})
				var waiting sync.WaitGroup
				ended := sync.OnceFunc(func() {
					close(stop)
					m.heal()
					waiting.Wait()
				})
				defer ended() // also after a failure: nobody may be about when the mount ends
				for i := range 50 {
					waiting.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
							}
							mutex := dirlock.Mutex{Path: m.path(fmt.Sprint("wanted", i)), Wait: time.Second}
							if l, err := mutex.Acquire(context.Background()); err == nil {
								_ = l.Release()
							}
						}
					})
				}
				o.watch("while the mount stalls", 4*time.Second) // longer than all leases
				ended()
				o.release()
				for _, l := range stalling {
					_ = l.Release()
				}
				m.empty(10 * time.Second)
			})
		})
	}
}

// unsteady is what nobody else's trouble may make of a moment, on a busy machine.
func unsteady() time.Duration { return 750*time.Millisecond + standstill() }

// others are locks on a mount that is well.
type others struct {
	t     *testing.T
	point string // where they are
	dir   string // the same, seen without FUSE
	locks []*dirlock.Lock
	slow  time.Duration // the middle of a cycle's times in the first watch
}

func (o *others) hold(n int) {
	o.t.Helper()
	for i := range n {
		m := brisk
		m.Path = filepath.Join(o.point, fmt.Sprint("held", i))
		l, err := m.Acquire(context.Background())
		if err != nil {
			o.t.Fatal(err)
		}
		o.locks = append(o.locks, l)
	}
}

// watch looks for a while how old the heartbeats get, and how long it takes to take and release a lock.
func (o *others) watch(when string, d time.Duration) {
	o.t.Helper()
	var took times
	var oldest time.Duration
	for end := time.Now().Add(d); time.Now().Before(end); {
		began := time.Now()
		cycle(o.t, filepath.Join(o.point, "cycle"))
		took = append(took, time.Since(began))
		for i, l := range o.locks {
			if l.Context().Err() != nil {
				o.t.Fatalf("%s: %v", when, context.Cause(l.Context()))
			}
			info, err := os.Stat(filepath.Join(o.dir, fmt.Sprint("held", i), l.Stamp().Name()))
			if err != nil {
				o.t.Fatal(err)
			}
			oldest = max(oldest, time.Since(info.ModTime()))
		}
		time.Sleep(5 * time.Millisecond)
	}
	middle := slices.Sorted(slices.Values(took))[len(took)/2]
	o.t.Logf("%s: a cycle takes %v (most %v, %d of them); the oldest heartbeat is of %v ago", when,
		middle.Round(time.Microsecond), slices.Max(took).Round(time.Microsecond), len(took), oldest.Round(time.Millisecond))
	if oldest > unsteady() {
		o.t.Errorf("%s: a heartbeat of %v is %v old", when, brisk.Heartbeat, oldest)
	}
	if o.slow == 0 {
		o.slow = middle
	}
	if limit := 4*o.slow + 5*time.Millisecond; middle > limit {
		o.t.Errorf("%s: half of the cycles took more than %v, against %v before", when, middle, o.slow)
	}
	if most := slices.Max(took); most > unsteady() {
		o.t.Errorf("%s: a cycle took %v", when, most)
	}
}

func (o *others) release() {
	o.t.Helper()
	for _, l := range o.locks {
		if err := errors.Join(l.Check(), l.Release()); err != nil {
			o.t.Error(err)
		}
	}
}
