//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
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
	type fault struct {
		faultfs.Rule
		held bool // it begins while the lock is held
	}
	var faults []fault
	for _, op := range []string{"lookup", "getattr", "setattr", "utimens", "mkdir", "rmdir", "unlink", "create", "write", "flush", "opendir", "readdir", "statfs"} {
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.ESTALE} {
			for _, after := range []bool{false, true} {
				for _, held := range []bool{false, true} {
					faults = append(faults, fault{faultfs.Rule{Ops: []string{op}, Fail: errno, After: after}, held})
				}
			}
		}
	}
	m := mount(t)
	all(t, len(faults), len(faults), func(i int) (string, error) {
		f := faults[i]
		name := fmt.Sprintf("case%03d", i)
		what := fmt.Sprintf("%s, while held: %v", f.Rule, f.held)
		return what, standing(flaw{m, name, f.Rule}, f.held)
	})
}

func standing(f flaw, held bool) error {
	path := f.m.path(f.name)
	mutex := short
	mutex.Path, mutex.Wait = path, 2*time.Second
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

	mutex.Wait = 15 * time.Second // for what was left, Stale at most
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
			mutex.Path, mutex.Wait = m.path("lock"), 2*time.Second
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
