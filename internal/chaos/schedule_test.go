package chaos

import (
	"slices"
	"testing"
	"time"
)

func plan(seed uint64, length time.Duration) Plan {
	return Plan{
		Seed: seed, Length: length, Clients: []string{"a", "b", "c"}, Workers: 4, Locks: 3,
		Stale: 3 * time.Second, Storm: 11 * time.Second, Lull: 8 * time.Second,
	}
}

func TestOneSeedMakesOneSchedule(t *testing.T) {
	one := NewSchedule(plan(7, time.Minute))
	if again := NewSchedule(plan(7, time.Minute)); !slices.Equal(one, again) {
		t.Error("the same plan made another schedule")
	}
	if other := NewSchedule(plan(8, time.Minute)); slices.Equal(one, other) {
		t.Error("another seed made the same schedule")
	}
}

// Whatever the seed, a schedule has what it is there for, and ends in time for what was abandoned to be repaired.
func TestSchedules(t *testing.T) {
	did := map[Deed]int{}
	for seed := range uint64(50) {
		p := plan(seed, time.Minute)
		events := NewSchedule(p)
		busy := map[string]time.Duration{}
		for i, e := range events {
			did[e.Do]++
			if i > 0 && e.At < events[i-1].At {
				t.Fatalf("seed %d: not in order:\n%s", seed, Script(events))
			}
			host := e.Do == Cut || e.Do == Power || e.Do == Loss || e.Do == Mute || e.Do == Unsaid
			if host && e.At < busy[e.Whom] {
				t.Errorf("seed %d: two at once for %q: %v", seed, e.Whom, e)
			}
			if host {
				busy[e.Whom] = e.At + e.For
			}
			if e.At+e.For > p.Length-p.Lull && host || e.At > p.Length-p.Lull {
				t.Errorf("seed %d: %v in the last lull", seed, e)
			}
		}
	}
	for _, do := range []Deed{Kill, Stop, Cut, Power, Date, Loss, Mute, Unsaid} {
		if did[do] < 25 {
			t.Errorf("%s %d times in 50 minutes", do, did[do])
		}
	}
	t.Log(did)
}
