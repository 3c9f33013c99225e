//go:build linux

package fusetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// A holder elsewhere is listed, and that is all that can be seen of it, for longer than Stale: that is no reason to take its place, and the error
// says what stood in the way.
func TestHolderThatCannotBeSeen(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ESTALE} {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			m := mount(t)
			cycle(t, m.path("first"))
			w := witness(tmpfs(t), "lock")
			held := another(t).tell("contend", mirror(t, m.Dir).path("lock"), w, "1", (2*short.Stale + time.Second).String())
			until(t, "the other one is inside", 20*time.Second, func() error { _, err := os.Stat(w); return err })
			stamps, err := filepath.Glob(filepath.Join(m.Dir, "lock", "dirlock-*"))
			if err != nil || len(stamps) != 1 {
				t.Fatal(stamps, err)
			}
			id := m.add(faultfs.Rule{Ops: []string{"lookup", "getattr"}, Path: "lock/" + filepath.Base(stamps[0]), Fail: errno})
			mutex := short
			mutex.Path, mutex.Wait = m.path("lock"), 2*short.Stale
			l, err := mutex.Acquire(context.Background())
			switch {
			case l != nil:
				t.Error("two holders:", errors.Join(inside(w, l, moment), l.Release()))
			case !errors.Is(err, dirlock.ErrHeld) || !errors.Is(err, errno):
				t.Error("the error does not say that it is held and what is in the way:", err)
			default:
				t.Log(err)
			}
			if n, _, err := m.Fired(id); n == 0 || err != nil {
				t.Error("nobody tried to see it:", n, err)
			}
			if said := <-held; !strings.HasPrefix(said, "ok") {
				t.Error(said)
			}
			m.heal()
			cycle(t, m.path("lock"))
			m.empty(0)
		})
	}
}
