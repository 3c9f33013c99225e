//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// One kind of call fails for as long as the fault lasts, from before the lock is taken or from while it is held. What fails says so, and
// once the fault is over the lock can be had, and nothing is left.
func TestStandingFaults(t *testing.T) {
	t.Parallel()
	m := mount(t)
	faults := standingFaults()
	all(t, 2*len(faults), 2*len(faults), func(i int) (string, error) {
		f, held := faults[i/2], i%2 == 1
		name := fmt.Sprintf("case%03d", i)
		return fmt.Sprintf("%s, while held: %v", f, held), standing(flaw{m, name, f}, held)
	})
}

func standing(f flaw, held bool) error {
	path := f.m.path(f.name)
	mutex := short
	mutex.Path, mutex.Wait = path, ample(2*time.Second)
	var bad []error
	var id int
	begin := func() {
		var err error
		if id, err = f.m.Add(about(f.name, f.rule)); err != nil {
			bad = append(bad, err)
		}
	}
	if !held {
		begin()
	}
	l, err := mutex.Acquire(context.Background())
	switch {
	case err == nil:
		if held {
			begin()
		}
		if err := l.Check(); err != nil && !errors.Is(err, dirlock.ErrLost) {
			bad = append(bad, f.named("Check", path, err))
		}
		if err := l.Release(); err != nil && !errors.Is(err, dirlock.ErrLost) {
			bad = append(bad, f.named("Release", path, err))
		}
	case held:
		return err // there was no fault yet
	case f.rule.Ops[0] == "mkdir" && f.rule.Fail == syscall.ESTALE && f.rule.After && errors.Is(err, dirlock.ErrHeld):
		// The kernel itself sends it again, and reports that the directory is there: nobody has heard of the fault.
	default:
		bad = append(bad, f.named("Acquire", path, err))
	}
	bad = append(bad, f.m.Remove(id))

	mutex.Wait = ample(15 * time.Second) // for what was left, Stale at most
	if l, err = mutex.Acquire(context.Background()); err != nil {
		bad = append(bad, fmt.Errorf("when the fault was over: %w", err))
	} else {
		bad = append(bad, l.Release())
	}
	return errors.Join(append(bad, f.gone(path))...)
}

// The same for what the lock lies in.
func TestStandingFaultsOfTheParent(t *testing.T) {
	for _, op := range []string{"getattr", "lookup", "statfs"} {
		t.Run(op, func(t *testing.T) {
			m := mount(t)
			id := m.add(faultfs.Rule{Ops: []string{op}, Fail: syscall.EIO})
			f := flaw{m, "lock", faultfs.Rule{Fail: syscall.EIO}}
			named := func(call string, err error) error { return f.named(call, m.Point, err) } // the parent's name will do
			mutex := short
			mutex.Path, mutex.Wait = m.path("lock"), ample(2*time.Second)
			if l, err := mutex.Acquire(context.Background()); err == nil {
				if err := l.Release(); err != nil {
					t.Error(named("Release", err))
				}
			} else if err := named("Acquire", err); err != nil {
				t.Error(err)
			}
			if err := m.Remove(id); err != nil {
				t.Fatal(err)
			}
			m.empty(10 * time.Second)
			cycle(t, mutex.Path)
		})
	}
}

// The same while a rival, on another mount of the same directory without faults, holds the lock most of the time: whoever cannot see it does not
// take its place, and does not keep it from having the lock.
func TestStandingFaultsWithRival(t *testing.T) {
	t.Parallel()
	m := mount(t)
	honest := mirror(t, m.Dir)
	rival := another(t)
	witnesses := tmpfs(t)
	cycle(t, m.path("first"))
	faults := standingFaults()
	all(t, len(faults), len(faults), func(i int) (string, error) {
		f := faults[i]
		name := fmt.Sprintf("case%03d", i)
		w := witness(witnesses, name)
		answer := rival.tell("contend", honest.path(name), w, "8", "200ms")
		id, err := m.Add(about(name, f))
		if err != nil {
			return f.String(), err
		}
		mutex := short
		mutex.Path, mutex.Wait = m.path(name), 300*time.Millisecond
		// A stamp that cannot be unlinked keeps the rival out for as long as the fault lasts.
		over := time.AfterFunc(4*time.Second, func() { _ = m.Remove(id) })
		defer over.Stop()
		for {
			l, err := mutex.Acquire(context.Background())
			if err == nil { // what it says otherwise is for the tests without a rival
				err = inside(w, l, moment)
				_ = l.Release()
				if err != nil {
					return f.String(), err
				}
			}
			select {
			case said := <-answer:
				if !strings.HasPrefix(said, "ok") {
					return f.String(), errors.New(said)
				}
				return f.String(), m.Remove(id)
			default:
			}
		}
	})
}

// standingFaults are all that a kind of call can do wrong for good.
func standingFaults() (faults []faultfs.Rule) {
	for _, op := range []string{"lookup", "getattr", "setattr", "utimens", "mkdir", "rmdir", "unlink", "create", "write", "flush", "opendir", "readdir", "statfs"} {
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.ESTALE} {
			for _, after := range []bool{false, true} {
				faults = append(faults, faultfs.Rule{Ops: []string{op}, Fail: errno, After: after})
			}
		}
	}
	return faults
}
