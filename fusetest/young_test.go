//go:build linux

package fusetest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// A mount that has just come about, by an automounter say, over a directory of a file system on which nothing can hang: the bound
// holds on it all the same.
func TestAcquireOnYoungMountThatStalls(t *testing.T) {
	t.Parallel()
	alone(t, func(t *testing.T) {
		where := tmpfs(t)
		cycle(t, filepath.Join(where, "before")) // what is mounted is known by now
		m := mirrorAt(t, where, tmpfs(t))
		m.add(faultfs.Rule{Stall: true})
		w := wants{limit: time.Second}
		w.want(m.path("lock"))
		done := make(chan struct{})
		go func() {
			w.Wait()
			close(done)
		}()
		select {
		case <-done:
			w.took.within(t, "Acquire", time.Second, time.Second)
		case <-time.After(5 * time.Second):
			t.Error("Acquire has not returned for 5 s, with a deadline of 1 s")
			m.heal()
			<-done
		}
		w.judge(t)
		m.heal()
		m.empty(10 * time.Second)
	})
}
