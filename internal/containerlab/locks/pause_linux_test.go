package locks

import (
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// pausing are the engines that can pause here: without root, Podman needs a cgroup of its own for that.
var pausing = []containerlab.Kind{containerlab.Docker, containerlab.Podman}

// Whoever does not see the holder's pids goes by the lease: paused for 3 x Stale, it loses the lock after Stale and a confirm window,
// no sooner, and learns of it when it goes on.
func TestPausedHolderLosesToASibling(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	for kind, waiters := range map[containerlab.Kind][]side{
		containerlab.Docker: {in(containerlab.Docker), machine},
		containerlab.Podman: {in(containerlab.Rootless), here},
	} {
		lab.Engine(kind)
		for _, waiter := range waiters {
			t.Run(kind.String()+" to "+waiter.name, func(t *testing.T) {
				t.Parallel()
				cfg, spec := shared(t)
				cfg.Witness = "" // two are inside for a moment after the pause: that is what a lease is
				c := lab.Engine(kind).Words(cfg, spec)
				holder, next := c.Proc(t, cfg), waiter.start(t, lab, cfg, spec)
				holder.Want("ACQ", "acquire")
				next.Send("acquire")
				next.Quiet(cfg.Stale)
				c.Pause()
				begin := time.Now()
				next.Expect("ACQ", proctest.Patience)
				took := time.Since(begin)
				if least := cfg.Stale - cfg.Heartbeat - 200*time.Millisecond; took < least {
					t.Errorf("taken after %v: it may have gone on until %v", took, least)
				}
				if most := cfg.Stale + stamp.Confirm(cfg.Heartbeat, cfg.Stale) + busy; took > most {
					t.Errorf("taken after %v only", took)
				}
				time.Sleep(time.Until(begin.Add(3 * cfg.Stale)))
				next.Want("OK", "check")
				holder.Send("context") // the first that it hears
				c.Unpause()
				holder.Lost(2*cfg.Heartbeat + busy)
				holder.Answer(proctest.Patience) // whichever came first
				holder.Want("LOST", "check")
				holder.Want("ENDED", "context")
				next.Want("OK", "check")
				holder.Want("LOST", "release")
				next.Want("OK", "check")
				next.Want("REL", "release")
			})
		}
	}
}

// Whoever has the same pids, and so can ask the kernel, waits for one that is paused as long as it takes.
func TestPausedHolderKeepsTheLock(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	for _, kind := range pausing {
		lab.Engine(kind)
		t.Run(kind.String()+", pids shared", func(t *testing.T) {
			t.Parallel()
			cfg, spec := shared(t)
			c := lab.Engine(kind).Words(cfg, spec)
			holder := c.Proc(t, cfg)
			spec.PID = "container:" + c.Name
			next := lab.Engine(kind).Words(cfg, spec).Proc(t, cfg)
			keeps(t, cfg, c, holder, next)
		})
		t.Run(kind.String()+", the host's pids", func(t *testing.T) {
			t.Parallel()
			cfg, spec := shared(t)
			uts(&spec) // under two names they would not be sure to be on one machine
			pids(&spec)
			c := lab.Engine(kind).Words(cfg, spec)
			keeps(t, cfg, c, c.Proc(t, cfg), lab.Here(t, cfg))
		})
	}
}

func keeps(t *testing.T, cfg proctest.Config, c *containerlab.Container, holder, next *proctest.Proc) {
	t.Helper()
	holder.Want("ACQ", "acquire")
	c.Pause()
	next.Send("acquire", "wait="+(3*cfg.Stale).String())
	next.Quiet(3*cfg.Stale - time.Second)
	if text := next.Expect("HELD", proctest.Patience); !strings.Contains(text, "it is there") {
		t.Errorf("it does not say why: %s", text)
	}
	next.Send("acquire")
	c.Unpause()
	holder.Want("OK", "check")
	holder.Want("REL", "release")
	next.Expect("ACQ", proctest.Patience)
	next.Want("REL", "release")
}
