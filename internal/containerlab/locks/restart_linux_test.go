package locks

import (
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A container crashes while it has the lock and comes back, twenty times: the same name, pid 1 again, another life. It gets the lock each time,
// and never takes it from a sibling of the same name and pid that lives.
func TestRestarts(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Podman, containerlab.Rootless} {
		lab.Engine(kind)
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			cfg, spec := shared(t)
			cfg.Heartbeat, cfg.Stale = 200*time.Millisecond, 2*time.Second // each life may have to wait for the one before
			c, sibling := lab.Engine(kind).Words(cfg, spec), in(kind).start(t, lab, cfg, spec)
			for i := range 20 {
				p := c.Proc(t, cfg)
				if p.Inner != 1 || sibling.Inner != 1 {
					t.Fatalf("pids %d and %d", p.Inner, sibling.Inner)
				}
				p.Want("ACQ", "acquire")
				if names := proctest.Names(cfg.Path); len(strings.Fields(names)) != 1 {
					t.Errorf("it piles up: %s", names)
				}
				sibling.Want("HELD", "try")
				if i%4 == 0 { // its next life finds the lock in the sibling's hands
					p.Want("REL", "release")
					sibling.Want("ACQ", "acquire")
				}
				c.Kill()
				p.Exited(proctest.Patience)
				if i%4 == 0 {
					p = c.Proc(t, cfg)
					p.Want("HELD", "acquire", "wait="+(cfg.Stale+stamp.Confirm(cfg.Heartbeat, cfg.Stale)+2*cfg.Heartbeat).String())
					sibling.Want("OK", "check")
					sibling.Want("REL", "release")
					c.Kill()
					p.Exited(proctest.Patience)
				}
			}
		})
	}
}
