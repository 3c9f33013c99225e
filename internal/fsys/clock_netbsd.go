package fsys

import (
	"time"
)

// CLOCK_MONOTONIC and CLOCK_REALTIME, which package unix does not name for NetBSD.
const clockMonotonic, clockRealtime = 3, 0

// Mono reads a clock that never steps and stands still while the machine is suspended: for observing others.
func Mono() time.Duration { return read(clockMonotonic) }

var boot ratchet

// Boot reads a clock that never steps back and goes on while the machine is suspended: for leases. NetBSD does not say that
// it has one; the wall clock's jumps tell of the sleep.
func Boot() time.Duration {
	return boot.at(func() (mono, wall time.Duration) { return read(clockMonotonic), read(clockRealtime) })
}
