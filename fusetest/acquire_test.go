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
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// mostThreads is how many a stalled mount may cost a process that takes locks on it.
const mostThreads = 8

// However many want locks on a mount that does not answer, each returns when its time is over, a handful of threads hang, and when the mount
// is well again nothing is left of them all.
func TestAcquireOnStalledMount(t *testing.T) {
	for _, c := range []struct {
		what           string
		bursts, calls  int
		paths          int
		slowly, limits time.Duration
	}{
		{"one path at once", 1, 1000, 1, 0, time.Second},
		{"fifty paths at once", 1, 1000, 50, 0, time.Second},
		{"a thousand paths at once", 1, 1000, 1000, 0, time.Second},
		{"bursts on twenty paths", 5, 200, 20, 0, time.Second},
		{"one after another", 1, 1000, 10, 2 * time.Millisecond, time.Second},
	} {
		t.Run(c.what, func(t *testing.T) {
			alone(t, func(t *testing.T) {
				m := mount(t)
				cycle(t, m.path("before"))
				before := used(t)
				m.stall()
				w := wants{limit: c.limits}
				for range c.bursts {
					for i := range c.calls {
						w.want(m.path(fmt.Sprint("lock", i%c.paths)))
						time.Sleep(c.slowly)
					}
					w.Wait()
				}
				m.stuck()
				w.took.within(t, "Acquire", c.limits, c.limits)
				w.judge(t)
				before.most(t, "while it stalls", mostThreads)
				m.heal()
				before.back(t, 30*time.Second)
				m.empty(10 * time.Second)
				for i := range min(c.paths, 20) {
					cycle(t, m.path(fmt.Sprint("lock", i)))
				}
				m.empty(0)
			})
		})
	}
}

// The same with the mount answering all but one kind of call: what succeeds late is undone.
func TestAcquireOnMountThatStallsOneOperation(t *testing.T) {
	alone(t, func(t *testing.T) {
		// All are mounted before the first stalls: a child closes the files that it inherits before it becomes what it is to be, and
		// hangs if a stamp is among them.
		beds := map[string]*bed{}
		for _, op := range []string{"lookup", "getattr", "mkdir", "create", "write", "flush", "opendir", "readdir", "statfs"} {
			beds[op] = mount(t)
		}
		var tests sync.WaitGroup
		for op, m := range beds {
			m.add(faultfs.Rule{Ops: []string{op}, Stall: true})
			tests.Go(func() {
				w := wants{limit: time.Second}
				for i := range 100 {
					w.want(m.path(fmt.Sprint("lock", i%10)))
				}
				w.Wait()
				w.took.within(t, op, time.Second, time.Second)
				w.judge(t)
			})
			t.Cleanup(func() {
				m.heal()
				m.empty(10 * time.Second)
				for i := range 10 {
					cycle(t, m.path(fmt.Sprint("lock", i)))
				}
				m.empty(0)
			})
		}
		tests.Wait()
	})
}

// wants are calls of Acquire that are to fail in time.
type wants struct {
	sync.WaitGroup
	limit time.Duration

	mu   sync.Mutex
	took times
	bad  []error
}

func (w *wants) want(path string) {
	w.Go(func() {
		began := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), w.limit)
		defer cancel()
		l, err := dirlock.At(path).Acquire(ctx)
		took := time.Since(began)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.took = append(w.took, took)
		if l != nil {
			err = errors.Join(errors.New("a lock was had on a mount that stalls"), l.Release())
		} else {
			err = late(path, err)
		}
		if err != nil {
			w.bad = append(w.bad, err)
		}
	})
}

func (w *wants) judge(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.bad) > 0 {
		t.Errorf("%d calls returned what they should not, such as %v", len(w.bad), w.bad[0])
	}
}

// late says what is wrong with the error of a call whose time was over.
func late(path string, err error) error {
	switch {
	case !errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: it does not match context.DeadlineExceeded", orNone(err))
	case !strings.Contains(err.Error(), path):
		return fmt.Errorf("%w: it does not name the path %s", err, path)
	}
	return nil
}

func orNone(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return err
}

// cycle takes a lock and gives it back.
func cycle(t *testing.T, path string) {
	t.Helper()
	l, err := dirlock.At(path).Acquire(context.Background()) // also in a cleanup
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}
