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
