//go:build linux

package fusetest

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/fusetest/faultfs"
)

// A reply is lost, and the call that was sent again is answered by what the first one did: that is no failure. The lock is had, and
// given back without a trace.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	m := mount(t)
	cycle(t, m.path("first"))
	for i, lost := range []faultfs.Rule{
		{Ops: []string{"mkdir"}, Fail: syscall.EEXIST},
		{Ops: []string{"create"}, Fail: syscall.EEXIST},
		{Ops: []string{"unlink"}, Fail: syscall.ENOENT},
		{Ops: []string{"rmdir"}, Fail: syscall.ENOENT},
	} {
		lost.After, lost.Times = true, 1
		t.Run(lost.String(), func(t *testing.T) {
			t.Parallel()
			b := *m
			b.t = t
			name := fmt.Sprint("lock", i)
			id := b.add(about(name, lost))
			mutex := short
			mutex.Path = b.path(name)
			began := time.Now()
			l, err := mutex.Acquire(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("had after %v", time.Since(began).Round(time.Millisecond))
			if err := l.Check(); err != nil {
				t.Error("Check:", err)
			}
			if err := l.Release(); err != nil {
				t.Error("Release:", err)
			}
			if n, _, err := b.Fired(id); n != 1 || err != nil {
				t.Error("the reply was not lost:", n, err)
			}
			if err := (flaw{m: &b, name: name}).gone(b.path(name)); err != nil {
				t.Error(err)
			}
		})
	}
}
