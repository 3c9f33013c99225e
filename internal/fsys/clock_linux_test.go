package fsys_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

var epoch = time.Unix(1e9, 0)

// TestLocalClock: a local mount's clock is the one that stamps its files, never ahead of it (a fresh file would look old), and
// behind by a tick, where the kernel stamps more finely than it ticks, and ticks late on a busy virtual machine.
func TestLocalClock(t *testing.T) {
	var res unix.Timespec
	must(t, unix.ClockGetres(unix.CLOCK_REALTIME_COARSE, &res))
	tick := time.Duration(res.Nano())
	f := fsys.OS()
	for name, dir := range mounts(t) {
		traits, err := f.Traits(dir)
		must(t, err)
		if !traits.Local || traits.Beats != fsys.ClockFS {
			t.Fatalf("%s: %+v", name, traits)
		}
		file := dir + "/file"
		must(t, f.Create(file, nil, 0o644))
		for range 200 {
			before, err := fsys.ProbeClock(f, dir+"/aux")
			must(t, err)
			// Touched without a look, so that the kernel's next stamp is one of its coarse ones.
			must(t, f.Touch(file))
			now, err := f.Clock(dir+"/none", traits)
			must(t, err)
			must(t, f.Touch(file))
			after, err := f.Stat(file)
			must(t, err)
			if now.Before(before.Add(-10*tick)) || now.After(after.Mtime) {
				t.Fatalf("%s: the clock said %v, the file system %v before and %v after, with a tick of %v",
					name, now, before, after.Mtime, tick)
			}
		}
	}
}

func TestClocksOfTheProcess(t *testing.T) {
	mono, boot, wall := fsys.Mono(), fsys.Boot(), time.Now()
	if mono <= 0 || boot < mono {
		t.Errorf("monotonic %v, since boot %v", mono, boot)
	}
	time.Sleep(20 * time.Millisecond)
	dm, db, dw := fsys.Mono()-mono, fsys.Boot()-boot, time.Since(wall)
	if dm < 20*time.Millisecond || db < 20*time.Millisecond || dm > dw+time.Second || db > dw+time.Second {
		t.Errorf("in %v the one advanced by %v, the other by %v", dw, dm, db)
	}
}
