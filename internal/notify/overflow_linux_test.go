package notify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// TestOverflow: the kernel's queue is full while the reader is held up. Then all are woken, also those of whom nothing was in it.
func TestOverflow(t *testing.T) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	must(t, err)
	limit, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(t, err)
	if limit > 200_000 {
		t.Skipf("the queue holds %d notices: NOT TESTED", limit)
	}
	over(t, func(t *testing.T, d *notify.Dirs, p *notify.Probe) {
		dir := proctest.Memory(t)
		busy := lock(t, filepath.Join(dir, "busy"), "file")
		quiet, _ := watch(t, d, lock(t, filepath.Join(dir, "quiet"), "file"))
		watch(t, d, busy)
		release := p.Hold()
		held := true
		defer func() {
			if held {
				release()
			}
		}()
		// What is told twice in a row, the kernel tells once: the names differ. The reader takes some before it is held up.
		for i := range limit + 5000 {
			name := fmt.Sprintf("%s/%d", busy, i)
			must(t, os.Mkdir(name, 0o755))
			must(t, os.Remove(name))
		}
		if quiet.count() != 0 {
			t.Error("woken although nothing happened there yet")
		}
		release()
		held = false
		quiet.reach(1, "all are woken after an overflow")
		c, _ := watch(t, d, busy)
		before := c.count()
		must(t, os.Remove(busy+"/file"))
		c.reach(before+1, "it goes on after an overflow")
	})
}
