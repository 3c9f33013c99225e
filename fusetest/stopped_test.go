//go:build linux

package fusetest

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// A process that holds a thousand locks is stopped for longer than their leases: afterwards each is taken anew or lost, whether the mount
// answers by then or not, and it does not cost a thousand threads.
func TestStoppedHolderOfManyLocks(t *testing.T) {
	t.Parallel()
	for _, stalls := range []bool{false, true} {
		t.Run(map[bool]string{false: "the mount answers", true: "the mount stalls meanwhile"}[stalls], func(t *testing.T) {
			t.Parallel()
			const n = 1000
			m := mount(t)
			holder := another(t)
			if answer := holder.ask(time.Minute, "hold", m.Point, fmt.Sprint(n)); answer != "ok" {
				t.Fatal(answer)
			}
			signal := func(s syscall.Signal) {
				if err := holder.cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			signal(syscall.SIGSTOP)
			time.Sleep(lease(patient) + patient.Heartbeat/2)
			if stalls {
				m.stall()
			}
			signal(syscall.SIGCONT)
			woke := time.Now()
			var kept, lost, unknown, more, hang int
			answer := holder.ask(time.Minute, "check", m.Point)
			if _, err := fmt.Sscan(answer, &kept, &lost, &unknown, &more, &hang); err != nil {
				t.Fatal(answer, err)
			}
			t.Logf("%v after it woke up: %d taken anew, %d lost, %d unknown; %d more threads than before, %d of them hang",
				time.Since(woke).Round(time.Millisecond), kept, lost, unknown, more, hang)
			if unknown > 0 || kept+lost != n {
				t.Errorf("%d of %d neither lost nor held", unknown, n)
			}
			if stalls && kept > 0 || !stalls && kept == 0 {
				t.Errorf("%d are held, with a mount that stalls: %v", kept, stalls)
			}
			if more > 64 {
				t.Errorf("%d more threads than before, want at most 64", more)
			}
			m.heal()
			if answer := holder.ask(time.Minute, "release", m.Point); answer != "ok" {
				t.Error(answer)
			}
			m.empty(30 * time.Second)
		})
	}
}
