//go:build linux

package fusetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// Whoever goes by a link to a mount that stalls is in the way of nobody who locks beside the link.
func TestLinksToStalledMount(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T) {
		for what, dir := range map[string]string{"tmpfs": tmpfs(t), "disk": t.TempDir()} {
			m := mount(t)
			if err := errors.Join(os.Mkdir(filepath.Join(m.Dir, "sub"), 0o777), os.Symlink(m.path("sub"), filepath.Join(dir, "link"))); err != nil {
				t.Fatal(err)
			}
			m.stall()
			var waiting sync.WaitGroup
			for i := range 10 {
				waiting.Go(func() {
					mutex := dirlock.Mutex{Path: filepath.Join(dir, "link", fmt.Sprint(i)), Wait: 3 * time.Second}
					if _, err := mutex.Acquire(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
						t.Error(what, err)
					}
				})
			}
			m.stuck()
			for i := range 10 {
				mutex := dirlock.Mutex{Path: filepath.Join(dir, fmt.Sprint("beside", i)), Wait: time.Second}
				l, err := mutex.Acquire(context.Background())
				if err != nil {
					t.Error(what, err)
					continue
				}
				if _, err := mutex.Inspect(); err != nil {
					t.Error(what, err)
				}
				if err := errors.Join(l.Check(), l.Release()); err != nil {
					t.Error(what, err)
				}
			}
			waiting.Wait()
			m.heal()
		}
	})
}

// A working directory on a mount that stalls holds no more threads than any other path there.
func TestRelativePathsOnStalledMount(t *testing.T) {
	alone(t, func(t *testing.T) {
		m := mount(t)
		t.Chdir(m.Point)
		m.stall()
		before := used(t)
		var waiting sync.WaitGroup
		for i := range 200 {
			waiting.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				mutex := dirlock.Mutex{Path: fmt.Sprint(i)}
				if _, err := mutex.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		m.stuck()
		before.most(t, "200 Acquires by relative paths", 8)
		waiting.Wait()
		m.heal()
	})
}

// A mount that stalls and is put over a lock in memory, while one waits for that lock and another holds it, holds up neither for ever.
func TestStalledMountOverAWaiter(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T) {
		point := filepath.Join(tmpfs(t), "dir")
		if err := os.Mkdir(point, 0o777); err != nil {
			t.Fatal(err)
		}
		mutex := dirlock.Mutex{Path: filepath.Join(point, "lock"), Heartbeat: 100 * time.Millisecond, Stale: 2 * time.Second, Wait: 4 * time.Second}
		l, err := mutex.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		began := time.Now()
		go func() {
			_, err := mutex.Acquire(context.Background())
			done <- err
		}()
		time.Sleep(time.Second) // it waits, or will come upon the mount at once
		m, err := faultfs.Start(tmpfs(t), point, faultfs.Rule{Stall: true})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		for _, what := range []string{"Acquire", "Release"} {
			limit := mutex.Wait
			if what == "Release" {
				limit = mutex.Stale
				began = time.Now()
				go func() { done <- l.Release() }()
			}
			select {
			case err := <-done:
				if took := time.Since(began); err == nil || took > limit+slack() {
					t.Errorf("%s after %v: %v", what, took, err)
				}
			case <-time.After(limit + slack() + 10*time.Second):
				t.Fatalf("%s has not returned", what)
			}
		}
	})
}
