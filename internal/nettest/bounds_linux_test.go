package nettest

import "time"

// repaired is how long after the last beat of a dead holder on another host a waiter has the lock at the latest, when it has waited
// all the time: Stale, or the confirm window where that is longer, two looks and a probe, and what calls take on a busy machine.
func repaired(beat, stale time.Duration) time.Duration {
	return max(stale, 3*beat) + beat + 3*time.Second
}
