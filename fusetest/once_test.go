//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// A flaw is one fault in the life of one lock.
type flaw struct {
	m    *bed
	name string // of the lock
	rule faultfs.Rule
}

// about makes the rule one about the lock of this name and what is beside it.
func about(name string, r faultfs.Rule) faultfs.Rule {
	r.Path = name + "*/**"
	return r
}

// run is one cycle with the fault: the lock may be had or not, but what fails names the path and the errno, and nothing is left when the
// fault is over.
func (f flaw) run() (met string, err error) {
	id, err := f.m.Add(about(f.name, f.rule))
	if err != nil {
		return "", err
	}
	path := f.m.path(f.name)
	mutex := short
	mutex.Path, mutex.Wait = path, ample(8*time.Second)
	l, err := mutex.Acquire(context.Background())
	var bad []error
	if err != nil {
		bad = append(bad, f.named("Acquire", path, err))
	} else {
		if err := l.Check(); err != nil {
			bad = append(bad, f.named("Check", path, err))
		}
		if err := l.Release(); err != nil {
			bad = append(bad, f.named("Release", path, err))
		}
	}
	n, met, ferr := f.m.Fired(id)
	bad = append(bad, ferr, f.m.Remove(id))
	if n == 0 {
		met = ""
	}
	if err != nil && f.rule.After && met == "mkdir "+f.name {
		bad = append(bad, f.unstamped(mutex))
	}
	return met, errors.Join(append(bad, f.gone(path))...)
}

// unstamped says what is wrong after a mkdir that said no and had its effect. Nobody can tell that directory from one that a script made,
// which is its lock: it stays, and the next who comes has the lock once it is as old as Stale.
func (f flaw) unstamped(mutex dirlock.Mutex) error {
	began := time.Now()
	if inside, err := os.ReadDir(filepath.Join(f.m.Dir, f.name)); err != nil || len(inside) > 0 {
		return fmt.Errorf("what a mkdir made that said no is to stay as it is: %d entries, %v", len(inside), err)
	}
	l, err := mutex.Acquire(context.Background())
	if err != nil {
		return fmt.Errorf("after a mkdir that said no: %w", err)
	}
	if took := time.Since(began); took > mutex.Stale+slack() {
		err = fmt.Errorf("after a mkdir that said no, the next one had the lock after %v", took)
	}
	return errors.Join(err, l.Release())
}

// named says what is wrong with an error: it must match what the mount said, and name the path.
func (f flaw) named(call, path string, err error) error {
	switch {
	case !errors.Is(err, f.rule.Fail):
		return fmt.Errorf("%s: %w: it does not match the errno", call, err)
	case !strings.Contains(err.Error(), path):
		return fmt.Errorf("%s: %w: it does not name the path", call, err)
	}
	return nil
}

// gone waits until nothing is left, which is what the process promises that made it.
func (f flaw) gone(path string) error {
	var left []string
	for end := time.Now().Add(ample(6 * time.Second)); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		left, _ = filepath.Glob(filepath.Join(f.m.Dir, f.name) + "*")
		if len(left) == 0 {
			return nil
		}
	}
	var what []string
	for _, dir := range left {
		inside, _ := os.ReadDir(dir)
		what = append(what, fmt.Sprintf("%s with %d entries", filepath.Base(dir), len(inside)))
		for _, e := range inside {
			what = append(what, e.Name()[:min(20, len(e.Name()))])
		}
	}
	return fmt.Errorf("left after %v without a fault: %s", ample(6*time.Second), strings.Join(what, " "))
}

// lives are the faults that a cycle of calls can meet: each call in turn, in each way.
func lives(calls int, errnos ...syscall.Errno) (list []faultfs.Rule) {
	for _, errno := range errnos {
		for _, after := range []bool{false, true} {
			for skip := range calls {
				list = append(list, faultfs.Rule{Skip: skip, Times: 1, Fail: errno, After: after})
			}
		}
	}
	return list
}

// cycleCalls is how many calls a cycle without a fault takes.
func (b *bed) cycleCalls(name string) int {
	b.t.Helper()
	id := b.add(about(name, faultfs.Rule{}))
	met, err := flaw{m: b, name: name, rule: faultfs.Rule{}}.run()
	if err != nil {
		b.t.Fatal(met, err)
	}
	n, _, err := b.Fired(id)
	if err != nil || n == 0 {
		b.t.Fatal(n, err)
	}
	return n
}

// all runs many at a time, and reports those that went wrong, and how often what was met.
func all(t *testing.T, atATime, n int, run func(i int) (what string, err error)) {
	t.Helper()
	var mu sync.Mutex
	met := map[string]int{}
	failed := 0
	var group sync.WaitGroup
	turn := make(chan struct{}, crowd(atATime))
	for i := range n {
		group.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			what, err := run(i)
			op, _, _ := strings.Cut(what, " ")
			mu.Lock()
			defer mu.Unlock()
			met[op]++
			if err != nil {
				failed++
				t.Errorf("%s: %v", what, err)
			}
		})
	}
	group.Wait()
	t.Logf("%d faults, %d of them did harm; met (none at all under \"\"): %v", n, failed, met)
}

// One call of a cycle fails, once: each call, with and without its effect.
func TestOneFaultAnywhere(t *testing.T) {
	t.Parallel()
	m := mount(t)
	cycle(t, m.path("first")) // which looks whether heartbeats move anything
	faults := lives(m.cycleCalls("probe")+2, syscall.EIO, syscall.ESTALE)
	all(t, 48, len(faults), func(i int) (string, error) {
		met, err := flaw{m, fmt.Sprintf("case%03d", i), faults[i]}.run()
		return fmt.Sprintf("%s (%s)", met, faults[i]), err
	})
}

// The same for the first lock that a process takes on a mount, which makes sure that heartbeats move something there.
func TestOneFaultAnywhereAtFirst(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T) {
		errnos := []syscall.Errno{syscall.EIO}
		if long {
			errnos = append(errnos, syscall.ESTALE)
		}
		faults := lives(mount(t).cycleCalls("probe")+2, errnos...)
		beds := make([]*bed, len(faults)) // all of them before any ends: the number of a mount that has ended is used again
		for i := range beds {
			beds[i] = mount(t)
		}
		all(t, 48, len(faults), func(i int) (string, error) {
			met, err := flaw{beds[i], "lock", faults[i]}.run()
			return fmt.Sprintf("%s (%s)", met, faults[i]), err
		})
	})
}

// The same with a rival on another mount of the same directory, which has no faults: there are never two holders, and the rival has the lock
// in time.
func TestOneFaultAnywhereWithRival(t *testing.T) {
	t.Parallel()
	m := mount(t)
	honest := mirror(t, m.Dir)
	rival := another(t)
	cycle(t, m.path("first"))
	witnesses := tmpfs(t)
	faults := lives(m.cycleCalls("probe")+10, syscall.EIO, syscall.ESTALE) // it meets more calls than a cycle alone
	all(t, 48, len(faults), func(i int) (string, error) {
		name := fmt.Sprintf("case%03d", i)
		id, err := m.Add(about(name, faults[i]))
		if err != nil {
			return "", err
		}
		w := witness(witnesses, name)
		answer := rival.tell("contend", honest.path(name), w, "5", moment.String())
		mutex := short
		mutex.Path, mutex.Wait = m.path(name), ample(20*time.Second)
		for range 5 {
			l, err := mutex.Acquire(context.Background())
			if err != nil {
				continue // the tests without a rival say what is wrong with it
			}
			if err := inside(w, l, moment); err != nil {
				return faults[i].String(), err
			}
			_ = l.Release()
		}
		_, met, err := m.Fired(id)
		met = fmt.Sprintf("%s (%s)", met, faults[i])
		select {
		case said := <-answer:
			if !strings.HasPrefix(said, "ok") {
				err = errors.Join(err, errors.New(said))
			}
		case <-time.After(2 * time.Minute):
			err = errors.Join(err, errors.New("no word from the rival"))
		}
		return met, err
	})
}
