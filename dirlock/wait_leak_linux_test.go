//go:build linux

package dirlock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A keeping is what a process has that a wait may leave behind.
type keeping struct{ descriptors, goroutines, watches int }

func keeps(t *testing.T) (k keeping) {
	t.Helper()
	k.goroutines = runtime.NumGoroutine()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Error(err)
	}
	k.descriptors = len(fds)
	for _, fd := range fds {
		info, _ := os.ReadFile("/proc/self/fdinfo/" + fd.Name())
		k.watches += strings.Count(string(info), "inotify wd:")
	}
	return k
}

// Two hundred waits in a row, however they end, leave no descriptor, no goroutine and no watch behind. It runs alone: others' are not to
// be told from its own.
func TestRealWaitsLeaveNothing(t *testing.T) {
	proctest.Each(t, func(t *testing.T, dir string) {
		cfg := proctest.Quick(filepath.Join(dir, "lock"))
		holder := proctest.Start(t, cfg)
		holder.Want("ACQ", "acquire")
		m := observe().mutex(cfg)
		wait := func(limit time.Duration) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			m := *m
			if m.Wait = limit; limit < 20*time.Millisecond {
				m.Wait = -1
				time.AfterFunc(limit, cancel)
			}
			// On a busy machine a wait may be over before its first look.
			if _, err := m.Acquire(ctx); !errors.Is(err, dirlock.ErrHeld) && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		other := cfg // what is opened once and kept, is opened: for another lock and holder, whose leaks would not hide these
		other.Path += "2"
		proctest.Start(t, other).Want("ACQ", "acquire")
		m.Path = other.Path
		wait(50 * time.Millisecond)
		m.Path = cfg.Path
		time.Sleep(time.Second)
		before := keeps(t)
		over, most := make(chan struct{}), make(chan int)
		go func() {
			watched := 0
			for {
				select {
				case <-over:
					most <- watched
					return
				case <-time.After(3 * time.Millisecond):
					watched = max(watched, keeps(t).watches)
				}
			}
		}()
		for i := range 200 {
			wait(time.Duration(15+i%10) * time.Millisecond) // it listens after 10 ms at most
		}
		close(over)
		if n := <-most; n != before.watches+1 {
			t.Errorf("%d watches at most, want %d", n, before.watches+1)
		}
		proctest.Until(t, 20*time.Second, fmt.Sprintf("as before: %+v", before), func() bool {
			now := keeps(t)
			return now.descriptors <= before.descriptors && now.goroutines <= before.goroutines && now.watches <= before.watches
		})
		holder.Want("REL", "release")
	})
}
