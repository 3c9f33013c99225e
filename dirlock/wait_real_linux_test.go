//go:build linux

package dirlock_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/internal/world"
)

// An observed process is this one, with its calls to the file system on record.
type observed struct {
	process any

	mu    sync.Mutex
	calls []observedCall
}

type observedCall struct {
	op faultfs.Op
	at time.Time
}

// observe makes a process of its own that has the real file system, clocks and kernel.
func observe() *observed {
	o := &observed{}
	w := world.Real()
	w.FS = faultfs.New(w.FS, func(op faultfs.Op) (func(error) error, error) {
		if op.Call != "clock" { // which asks this kernel what time it is, and no file system
			o.mu.Lock()
			defer o.mu.Unlock()
			o.calls = append(o.calls, observedCall{op, time.Now()})
		}
		return nil, nil
	})
	o.process = world.NewProcess(w)
	return o
}

func (o *observed) mutex(cfg proctest.Config) *dirlock.Mutex {
	m := cfg.Mutex()
	world.Use(m, o.process)
	return m
}

// between returns the calls in a span of time.
func (o *observed) between(from, to time.Time) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var calls []string
	for _, c := range o.calls {
		if !c.at.Before(from) && c.at.Before(to) {
			calls = append(calls, c.op.String())
		}
	}
	return calls
}

// A waiter on a local file system sleeps until the kernel tells of the release. Then its mkdir comes before anything else.
func TestRealWaiterSleeps(t *testing.T) {
	t.Parallel()
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		cfg.Heartbeat, cfg.Stale = time.Second, 30*time.Second
		holder := proctest.Start(t, cfg)
		holder.Want("ACQ", "acquire")
		o := observe()
		m := o.mutex(cfg)
		time.Sleep(10 * time.Millisecond)
		had := make(chan error, 1)
		var lock *dirlock.Lock
		begin := time.Now()
		go func() {
			var err error
			lock, err = m.Acquire(context.Background())
			had <- err
		}()
		const span = 3500 * time.Millisecond
		time.Sleep(span)
		released := time.Now()
		if calls := o.between(begin.Add(500*time.Millisecond), released); len(calls) > 2*3 {
			t.Errorf("%d calls in 3 s: %q", len(calls), calls)
		}
		holder.Want("REL", "release")
		if err := <-had; err != nil {
			t.Fatal(err)
		}
		took := time.Since(released)
		calls := o.between(released, time.Now())
		if i := slices.Index(calls, "mkdir lock"); i > 1 { // at most one look that happened to be due just then
			t.Errorf("between the release and its mkdir it called: %q", calls[:i])
		}
		if took > time.Second {
			t.Errorf("it had the lock %v after the release", took)
		}
		t.Logf("it had the lock within %v of the order to release", took)
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
		sole(t, dir)
	})
}

// The death of a holder is told of, and the lock is taken over at once: three of its heartbeats would be a quarter of an hour.
func TestRealDeathIsToldOf(t *testing.T) {
	t.Parallel()
	proctest.Each(t, func(t *testing.T, dir string) {
		t.Parallel()
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		cfg.Heartbeat, cfg.Stale = 5*time.Minute, 20*time.Minute
		holder := proctest.Start(t, cfg)
		holder.Want("ACQ", "acquire")
		had := make(chan error, 1)
		var lock *dirlock.Lock
		go func() {
			var err error
			lock, err = observe().mutex(cfg).Acquire(context.Background())
			had <- err
		}()
		time.Sleep(time.Second)
		died := time.Now()
		if err := unix.Kill(holder.Inner, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := <-had; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(died); took > 5*time.Second {
			t.Errorf("it had the lock %v after the holder's death", took)
		} else {
			t.Logf("it had the lock %v after the holder's death", took)
		}
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
		sole(t, dir)
	})
}
