//go:build linux

package dirlock_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A meeting has all who come to a call wait until everybody is there.
type meeting struct {
	what string
	n    int
	mu   sync.Mutex
	here map[string]bool
	all  chan struct{}
}

func meet(n int, what string) *meeting {
	return &meeting{what: what, n: n, here: map[string]bool{}, all: make(chan struct{})}
}

// attend returns what a guard does for one of them: it waits at its first such call.
func (m *meeting) attend(who string) func(proctest.Call) proctest.Reply {
	return func(c proctest.Call) proctest.Reply {
		if c.What() != m.what {
			return proctest.Reply{}
		}
		m.mu.Lock()
		if m.here[who] {
			m.mu.Unlock()
			return proctest.Reply{}
		}
		if m.here[who] = true; len(m.here) == m.n {
			close(m.all)
		}
		m.mu.Unlock()
		<-m.all
		return proctest.Reply{}
	}
}

// Several judge an old directory without a stamp at once, and all of them stamp it: one of them holds, or none does, and
// then one.
func TestProcSeveralStampsInOneDirectory(t *testing.T) {
	t.Parallel()
	for round := range 6 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
			cfg.ForgeName(t, time.Hour, "x", nil)
			empty(t, cfg, "x")
			n := 2 + round%2
			m := meet(n, "create stamp")
			procs := make([]*proctest.Proc, n)
			for i := range procs {
				procs[i] = proctest.Start(t, cfg)
				procs[i].Guard(dir, m.attend(procs[i].ID))
			}
			for _, p := range procs {
				p.Send("turn", "5ms")
			}
			each(t, procs, proctest.Patience)
			if len(m.here) != n {
				t.Errorf("%d of %d met: this was no test", len(m.here), n)
			}
			sole(t, dir)
		})
	}
}

// One has stamped and listed when the other stamps.
func TestProcSecondStampWithdraws(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	cfg.ForgeName(t, time.Hour, "x", nil)
	empty(t, cfg, "x")
	late, early := proctest.Start(t, cfg), proctest.Start(t, cfg)
	here, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	late.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.What() == "create stamp" {
			once.Do(func() { close(here); <-goOn })
		}
		return proctest.Reply{}
	})
	late.Send("acquire")
	<-here // it has judged the directory to be nobody's
	early.Want("ACQ", "acquire")
	close(goOn)
	late.Quiet(2 * cfg.Stale)
	intact(t, early)
	early.Want("REL", "release")
	late.Expect("ACQ", proctest.Patience)
	late.Want("REL", "release")
	sole(t, dir)
}

// Two that are dead are both cleared away; one that lives protects the lock beside one that is dead.
func TestProcTwoForgedStamps(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.Forge(t, time.Hour, proctest.Dead(t))
	cfg.Forge(t, time.Hour, proctest.Foreign)
	p := proctest.Start(t, cfg)
	p.Want("ACQ", "acquire")
	p.Want("REL", "release")
	sole(t, dir)

	dead := cfg.Forge(t, time.Hour, proctest.Dead(t))
	alive := cfg.Forge(t, time.Hour)
	p.Want("HELD", "acquire", "wait=3s")
	if !proctest.Exists(filepath.Join(cfg.Path, alive)) {
		t.Error("the living one's stamp was removed")
	}
	if proctest.Exists(filepath.Join(cfg.Path, dead)) {
		t.Log("the dead one's is still there")
	}
}

// A directory that a script made: free when the script removes it, a lease that touch renews otherwise.
func TestProcPlainDirectory(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	cfg.ForgeName(t, 0, "x", nil)
	empty(t, cfg, "x")
	stop := proctest.KeepMoving(t, cfg.Path, 100*time.Millisecond, 0)
	kept(t, cfg, 3*cfg.Stale)
	stop()
	if took := taken(t, cfg); took < cfg.Stale-200*time.Millisecond {
		t.Errorf("taken after %v", took)
	}
	sole(t, dir)
}
