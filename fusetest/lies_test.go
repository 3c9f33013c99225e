//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// Where heartbeats move nothing, everybody else would see a dead holder: there is no lock to be had, and the error says why.
func TestMtimeThatDoesNotMove(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T) { refused(t, mount(t, faultfs.Rule{Still: true})) })
}

func refused(t *testing.T, m *bed) {
	t.Helper()
	l, err := dirlock.At(m.path("lock")).Acquire(context.Background())
	switch {
	case l != nil:
		t.Errorf("a lock was had; released: %v", l.Release())
	case !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "modification time") || !strings.Contains(err.Error(), m.path("lock")):
		t.Error("the error does not say what is the matter:", err)
	default:
		t.Log(err)
	}
	m.empty(10 * time.Second)
}

// What was found out about one mount is not true of the next one, though the system gives it the same number.
func TestMtimeThatDoesNotMoveAnyMore(t *testing.T) {
	needMounts(t)
	dir := tmpfs(t)
	number := func(path string) uint64 {
		var st syscall.Stat_t
		if err := syscall.Stat(path, &st); err != nil {
			t.Fatal(err)
		}
		return st.Dev
	}
	for range 20 {
		m := mirror(t, dir)
		was := number(m.Point)
		cycle(t, m.path("lock"))
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		m = mirror(t, dir, faultfs.Rule{Still: true})
		if number(m.Point) == was {
			refused(t, m)
			return
		}
		if err := m.Close(); err != nil { // somebody else took the number in between
			t.Fatal(err)
		}
	}
	t.Fatal("no mount has got the number of the one before, in 20 tries")
}

// As on FAT. The lease lasts for several ticks of such a clock, and is kept.
func TestCoarseMtime(t *testing.T) {
	t.Parallel()
	m := mount(t, faultfs.Rule{Coarse: 2 * time.Second})
	mutex := dirlock.Mutex{Path: m.path("lock"), Heartbeat: 500 * time.Millisecond, Stale: 9 * time.Second}
	l, err := mutex.Acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rival := mutex
	rival.Wait = 10 * time.Second // longer than the lease, and than Stale
	if l, err := rival.Acquire(context.Background()); !errors.Is(err, dirlock.ErrHeld) || l != nil {
		t.Errorf("a second holder, or not because of the first one: %v, %v", l, err)
	}
	if err := errors.Join(l.Check(), l.Release()); err != nil {
		t.Error(err)
	}
	m.empty(0)
}

// Listings keep what was removed, as on NFS v3: never two holders, and everybody has the lock in turn.
func TestListingsThatKeepNames(t *testing.T) {
	t.Parallel()
	m := mount(t, faultfs.Rule{Keep: true})
	rivals(t, m, m, 20, moment)
	m.empty(10 * time.Second)
}

// Listings leave out the stamp that one has just made: then it is not known who else is there, and nobody has the lock.
func TestListingsThatOmitNames(t *testing.T) {
	t.Parallel()
	m := mount(t, faultfs.Rule{Omit: true, Path: "dirlock-*"})
	mutex := dirlock.Mutex{Path: m.path("lock"), Wait: 2 * time.Second}
	if l, err := mutex.Acquire(context.Background()); !errors.Is(err, dirlock.ErrHeld) || l != nil {
		t.Errorf("a lock, or no reason why not: %v, %v", l, err)
	} else {
		t.Log(err)
	}
	m.empty(10 * time.Second)
	m.heal()
	cycle(t, m.path("lock"))
}

// Two mounts of one directory that keep names and attributes for a while, as two hosts do: whoever waits while the other one holds the
// lock has it not much later than its cache is, and never both at once.
func TestCaches(t *testing.T) {
	t.Parallel()
	const cache = 700 * time.Millisecond
	one := mount(t, faultfs.Rule{Cache: cache})
	two := mirror(t, one.Dir, faultfs.Rule{Cache: cache})
	rival := another(t)
	w := witness(tmpfs(t), "lock")
	mutex := short
	mutex.Path, mutex.Wait = one.path("lock"), 30*time.Second
	var mine, theirs times
	for range 3 {
		l, err := mutex.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		answer := rival.tell("contend", two.path("lock"), w, "1", (cache / 2).String())
		if err := inside(w, l, cache/2); err != nil { // while the rival waits
			t.Fatal(err)
		}
		began := time.Now()
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		until(t, "the rival is inside", 30*time.Second, func() error { _, err := os.Stat(w); return err })
		theirs = append(theirs, time.Since(began))
		l, err = mutex.Acquire(context.Background()) // while the rival holds it
		if err != nil {
			t.Fatal(err)
		}
		mine = append(mine, time.Since(began)-theirs[len(theirs)-1]-cache/2)
		if err := errors.Join(inside(w, l, moment), l.Release()); err != nil {
			t.Fatal(err)
		}
		if said := <-answer; !strings.HasPrefix(said, "ok") {
			t.Fatal(said)
		}
	}
	t.Logf("after the release, one had it after %v, the other after %v", mine, theirs)
	if late := max(slices.Max(mine), slices.Max(theirs)); late > cache+slack() {
		t.Errorf("with names that are kept for %v, it took %v", cache, late)
	}
	one.empty(10 * time.Second)
}

// rivals lets this process and another one want the same lock, for so many rounds each.
func rivals(t *testing.T, mine, theirs *bed, rounds int, stay time.Duration) {
	t.Helper()
	w := witness(tmpfs(t), "lock")
	answer := another(t).tell("contend", theirs.path("lock"), w, fmt.Sprint(rounds), stay.String())
	var took times
	for range rounds {
		mutex := short
		mutex.Path, mutex.Wait = mine.path("lock"), 30*time.Second
		began := time.Now()
		l, err := mutex.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
		if err := errors.Join(inside(w, l, stay), l.Release()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(moment) // let the other one in
	}
	t.Log("one:", took)
	select {
	case said := <-answer:
		t.Log("the other:", said)
		if !strings.HasPrefix(said, "ok") {
			t.Error(said)
		}
	case <-time.After(time.Minute):
		t.Error("no word from the rival")
	}
}
