package dirlock

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/world"
)

// The beats of two processes never fall on one instant: each has the slot that its world says. A bubble breaks ties at
// random, and a simulation could not be repeated.
func TestSimBeatsInTheSlot(t *testing.T) {
	const grid = 1024 * time.Nanosecond // heartbeat's
	at := map[uint8]time.Duration{}
	for _, slot := range []uint8{0, 1, 255} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			w := *a.World
			w.Slot = slot
			m := &Mutex{Path: simPath, process: world.NewProcess(&w).(*process)}
			l, err := m.Acquire(t.Context())
			s.must(err)
			beats := make(chan time.Duration, 3)
			a.on(every("touch", then(func() { beats <- a.Boot() % grid })))
			at[slot] = <-beats
			for range 2 {
				if next := <-beats; next != at[slot] {
					t.Errorf("slot %d: at %v, and then at %v", slot, at[slot], next)
				}
			}
			a.on(nil)
			s.must(l.Release())
		})
	}
	if at[0] == at[1] || at[1] == at[255] || at[0] == at[255] {
		t.Errorf("on one instant: %v", at)
	}
}

// Strays are chased in the order of their paths and names, so that a simulation can be repeated.
func TestSimStraysInOrder(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		var want, got []string
		for i := range 20 {
			for j := range 3 {
				want = append(want, fmt.Sprintf("/p%02d/dirlock-1.%d", i, j))
			}
		}
		a.on(every("unlink", func(op faultfs.Op) (func(error) error, error) {
			got = append(got, op.Path)
			return nil, nil
		}))
		for i := range want { // not in order
			path := want[i*37%len(want)]
			a.addStray(path[:4], path[5:], true, 0)
		}
		for a.sweeping() {
			time.Sleep(strayEvery)
		}
		if !slices.Equal(got, want) {
			t.Errorf("in this order: %q", got)
		}
	})
}
