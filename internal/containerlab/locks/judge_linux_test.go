package locks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A deaf test hears of no failure; it keeps them.
type deaf struct {
	testing.TB
	heard chan string
}

func (d deaf) Errorf(format string, args ...any) { d.heard <- fmt.Sprintf(format, args...) }

// The judge must see two who are in different containers. A lock in a container's own layer excludes nobody else, and so two hold it.
func TestTheJudgeSeesTwo(t *testing.T) {
	lab := containerlab.Start(t)
	for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Rootless} {
		t.Run(kind.String(), func(t *testing.T) {
			cfg, spec := shared(t)
			cfg.Path = "/tmp/lock"
			ears := deaf{t, make(chan string, 100)}
			a := lab.Engine(containerlab.Podman).Words(cfg, spec).Proc(ears, cfg)
			b := lab.Engine(kind).Words(cfg, spec).Proc(ears, cfg)
			a.Want("ACQ", "acquire")
			b.Want("TWO", "acquire")
			if heard := <-ears.heard; !strings.Contains(heard, "two holders") {
				t.Error(heard)
			}
			a.Want("REL", "release")
			proctest.Until(t, proctest.Patience, "the witness is gone", func() bool { return !proctest.Exists(cfg.Witness) })
		})
	}
}
