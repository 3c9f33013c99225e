//go:build linux

package dirlock_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// Whoever dies, wherever: the next one gets the lock by itself in time, and nothing is left.
func TestProcKillAtEveryCall(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	wheres := map[string][]proctest.Option{"here": nil, "elsewhere": {elsewhere()}}
	if testing.Short() {
		delete(wheres, "elsewhere")
	}
	for where, options := range wheres {
		for _, r := range roles {
			if where == "elsewhere" {
				r.every = false // what others see is the same as here; only what they may conclude is less
			}
			t.Run(r.name+" "+where, func(t *testing.T) {
				t.Parallel()
				list := survey(t, r, options...)
				for _, pos := range list {
					t.Run(pos.String(), func(t *testing.T) {
						t.Parallel()
						killAt(t, r, pos, options)
					})
				}
				t.Logf("%d places", len(list))
			})
		}
	}
}

func killAt(t *testing.T, r role, pos position, options []proctest.Option) {
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	p, next := proctest.Start(t, cfg, options...), proctest.Start(t, cfg)
	r.prepare(t, p)
	pid := p.Pid()
	reached := make(chan struct{})
	s := &places{role: r, at: pos.n}
	s.do = func(proctest.Call) proctest.Reply {
		unix.Kill(pid, unix.SIGKILL)
		close(reached)
		return proctest.Reply{}
	}
	p.Guard(dir, s.reply)
	s.arm(true)
	p.Send(r.word)
	select {
	case <-reached:
	case <-time.After(proctest.Patience):
		t.Fatalf("the place was not reached")
	}
	p.Exited(proctest.Patience)

	begin := time.Now()
	next.Want("ACQ", "acquire")
	took := time.Since(begin)
	if most := cfg.Stale + stamp.Confirm(cfg.Heartbeat, cfg.Stale) + busy; took > most {
		t.Errorf("repaired after %v only, not within %v", took, most)
	}
	if names := proctest.Names(cfg.Path); len(strings.Fields(names)) != 1 {
		t.Errorf("it piles up: %s", names)
	}
	next.Want("REL", "release")
	sole(t, dir)
}
