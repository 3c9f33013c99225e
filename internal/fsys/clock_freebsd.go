package fsys

import (
	"time"

	"golang.org/x/sys/unix"
)

// Mono reads a clock that never steps and stands still while the machine is suspended: for observing others.
func Mono() time.Duration { return read(unix.CLOCK_UPTIME) }

var boot ratchet

// Boot reads a clock that never steps back and goes on while the machine is suspended: for leases. Since FreeBSD 15 that is
// CLOCK_MONOTONIC; before, no clock does it, and the wall clock's jumps tell of the sleep.
func Boot() time.Duration {
	return boot.at(func() (mono, wall time.Duration) { return read(unix.CLOCK_MONOTONIC), read(unix.CLOCK_REALTIME) })
}
