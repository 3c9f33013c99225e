package fsys

import (
	"time"

	"golang.org/x/sys/unix"
)

// Mono reads a clock that never steps and stands still while the machine is suspended: for observing others.
// Here it is mach_absolute_time.
func Mono() time.Duration { return read(unix.CLOCK_UPTIME_RAW) }

// Boot reads a clock that never steps back and goes on while the machine is suspended: for leases.
// Here it is mach_continuous_time.
func Boot() time.Duration { return read(unix.CLOCK_MONOTONIC_RAW) }
