//go:build linux

package dirlock_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// 0 free descriptors, 1, 2 and so on, until it works.
func TestProcNoDescriptorForTheStamp(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	p := proctest.Start(t, cfg, proctest.Under("sh", "-c", `ulimit -n 40 && exec "$@"`, "-"))
	works(t, p) // what is opened once and kept is opened
	worked := false
	for free := 0; !worked; free++ {
		p.Want("OK", "openall", fmt.Sprint(free))
		switch answer := p.Say("acquire", "wait=1s"); {
		case strings.HasPrefix(answer, "ACQ"):
			worked = true
			p.Want("REL", "release")
		case !strings.HasPrefix(answer, "ERR") || !strings.Contains(answer, "too many open files"):
			t.Errorf("with %d free descriptors: %s", free, answer)
		case free > 10:
			t.Fatal("it never works")
		}
		sole(t, dir)
		p.Want("OK", "closeall")
		works(t, p)
	}
}

// What is held is kept and given back with no descriptor left.
func TestProcNoDescriptorWhileHeld(t *testing.T) {
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	p := proctest.Start(t, cfg, proctest.Under("sh", "-c", `ulimit -n 40 && exec "$@"`, "-"))
	p.Want("ACQ", "acquire")
	p.Want("OK", "openall", "0")
	time.Sleep(cfg.Stale)
	p.Want("OK", "check")
	p.Want("REL", "release")
	if losses := p.Losses(); losses != nil {
		t.Error(losses)
	}
	sole(t, dir)
}
