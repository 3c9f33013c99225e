package locks

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// usual is a lock by the settings that users have.
func usual(t *testing.T) (proctest.Config, containerlab.Spec) {
	t.Helper()
	cfg, spec := shared(t)
	cfg.Heartbeat, cfg.Stale, cfg.Wait = time.Second, 30*time.Second, 2*time.Minute
	return cfg, spec
}

// The holder's container is killed, and a sibling has the lock within 3 s: on a local volume of one kernel the death is proved by what the
// kernel releases with the process, though neither sees the other's pids.
//
// This is what depends on that proof: without it Stale, 30 s, has to pass.
func TestKilledContainerIsReplacedAtOnce(t *testing.T) {
	lab := containerlab.Start(t)
	engines := []containerlab.Kind{containerlab.Docker, containerlab.Podman, containerlab.Rootless}
	for _, holders := range engines {
		lab.Engine(holders) // not at once
	}
	for _, holders := range engines {
		waiters := []side{in(holders), machine, here, sandbox("bwrap")}
		if holders != containerlab.Podman {
			waiters = append(waiters, in(containerlab.Podman))
		}
		for _, waiter := range waiters {
			t.Run(holders.String()+" for "+waiter.name, func(t *testing.T) {
				t.Parallel()
				cfg, spec := usual(t)
				c := lab.Engine(holders).Words(cfg, spec)
				holder, next := c.Proc(t, cfg), waiter.start(t, lab, cfg, spec)
				holder.Want("ACQ", "acquire")
				next.Send("acquire")
				next.Quiet(2 * cfg.Heartbeat)
				replaces(t, next, c.Kill)
			})
		}
	}
	for _, runtime := range []string{"bwrap", "unshare"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			cfg, spec := usual(t)
			holder, next := lab.Words(t, cfg, runtime, spec), in(containerlab.Podman).start(t, lab, cfg, spec)
			holder.Want("ACQ", "acquire")
			next.Send("acquire")
			next.Quiet(2 * cfg.Heartbeat)
			replaces(t, next, holder.Kill)
		})
	}
}

// killing has a slot for each death that is timed at a time: an engine that has eight to kill takes a second for each.
var killing = make(chan struct{}, 2)

// replaces kills a holder, and times how soon the next one has the lock.
func replaces(t *testing.T, next *proctest.Proc, kill func()) {
	t.Helper()
	killing <- struct{}{}
	defer func() { <-killing }()
	kill()
	killed := time.Now() // it is dead by now
	next.Expect("ACQ", proctest.Patience)
	took := time.Since(killed)
	t.Logf("after %v", took.Round(time.Millisecond))
	if took > 3*time.Second {
		t.Errorf("a sibling had the lock after %v", took.Round(time.Millisecond))
	}
	next.Want("REL", "release")
}

// LXC and systemd-nspawn give each container a boot id that they make up. To all others it is on another machine, where only silence can be
// heard.
func TestMadeUpBootIDs(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	for _, runtime := range []string{"lxc", "nspawn"} {
		for _, waiter := range []side{sandbox(runtime), in(containerlab.Podman)} {
			t.Run(runtime+" for "+waiter.name, func(t *testing.T) {
				t.Parallel()
				cfg, spec := shared(t)
				holder, next := lab.Words(t, cfg, runtime, spec), waiter.start(t, lab, cfg, spec)
				holder.Want("ACQ", "acquire")
				next.Send("acquire")
				next.Quiet(2 * cfg.Stale)
				begin := time.Now()
				holder.Kill()
				next.Expect("ACQ", proctest.Patience)
				took := time.Since(begin)
				if least := cfg.Stale - cfg.Heartbeat - 50*time.Millisecond; took < least {
					t.Errorf("taken after %v: nobody could know of the death before %v had passed", took, least)
				}
				if most := cfg.Stale + stamp.Confirm(cfg.Heartbeat, cfg.Stale) + busy; took > most {
					t.Errorf("taken after %v only", took)
				}
				next.Want("REL", "release")
			})
		}
	}
}

// busy is what a loaded machine may add.
const busy = 5 * time.Second
