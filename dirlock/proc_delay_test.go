//go:build linux

package dirlock_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// Whoever is held up, wherever, for longer than others have patience: there are never two, and what others got meanwhile
// stays theirs.
func TestProcDelayAtEveryCall(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	wheres := map[string][]proctest.Option{"here": nil, "elsewhere": {elsewhere()}}
	if testing.Short() {
		delete(wheres, "elsewhere")
	}
	for where, options := range wheres {
		for _, r := range roles {
			if where == "elsewhere" {
				r.every = false
			}
			t.Run(r.name+" "+where, func(t *testing.T) {
				t.Parallel()
				for _, pos := range survey(t, r, options...) {
					t.Run(pos.String(), func(t *testing.T) {
						t.Parallel()
						delayAt(t, r, pos, options)
					})
				}
			})
		}
	}
}

func delayAt(t *testing.T, r role, pos position, options []proctest.Option) {
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	slow, quick := proctest.Start(t, cfg, options...), proctest.Start(t, cfg)
	r.prepare(t, slow)
	reached, over := make(chan struct{}), make(chan struct{})
	s := &places{role: r, at: pos.n}
	s.do = func(proctest.Call) proctest.Reply {
		close(reached)
		time.Sleep(3 * cfg.Stale / 2) // others need Stale and a confirm window
		close(over)
		return proctest.Reply{}
	}
	slow.Guard(dir, s.reply)
	s.arm(true)
	slow.Send(r.word)
	select {
	case <-reached:
	case <-time.After(proctest.Patience):
		t.Fatal("the place was not reached")
	}
	quick.Send("acquire")
	<-over
	if r.word == "release" {
		if answer := slow.Answer(proctest.Patience); answer != "REL" && !strings.HasPrefix(answer, "LOST") {
			t.Errorf("the slow one's release says %q", answer)
		}
		quick.Expect("ACQ", proctest.Patience)
		intact(t, quick)
		quick.Want("REL", "release")
		sole(t, dir)
		return
	}
	first, second := winner(t, slow, quick)
	second.Quiet(3 * cfg.Heartbeat)
	intact(t, first)
	first.Want("REL", "release")
	second.Expect("ACQ", proctest.Patience)
	intact(t, second)
	second.Want("REL", "release")
	sole(t, dir)
}

// winner waits until one of two that acquire has the lock.
func winner(t *testing.T, a, b *proctest.Proc) (first, second *proctest.Proc) {
	t.Helper()
	for end := time.Now().Add(proctest.Patience); time.Now().Before(end); a, b = b, a {
		if answer, err := a.Get(20 * time.Millisecond); err == nil {
			if !strings.HasPrefix(answer, "ACQ") {
				t.Fatalf("%s answered %q", a.ID, answer)
			}
			return a, b
		}
	}
	t.Fatal("neither of them got it")
	return nil, nil
}

// intact checks that p holds, that nobody else's stamp is there, and that it was never told otherwise.
func intact(t *testing.T, p *proctest.Proc) {
	t.Helper()
	p.Want("OK", "check")
	p.Want("LIVE", "context")
	// One that has stamped and is about to withdraw may be there for a moment.
	proctest.Until(t, proctest.Patience, "its stamp is the only one", func() bool {
		return len(strings.Fields(proctest.Names(p.Path))) == 1
	})
	if losses := p.Losses(); losses != nil {
		t.Errorf("%s lost the lock: %s", p.ID, losses)
	}
}
