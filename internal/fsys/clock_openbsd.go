package fsys

import (
	"time"

	"golang.org/x/sys/unix"
)

// Mono reads a clock that never steps and stands still while the machine is suspended: for observing others.
func Mono() time.Duration { return read(unix.CLOCK_UPTIME) }

// Boot reads a clock that never steps back and goes on while the machine is suspended: for leases.
func Boot() time.Duration { return read(unix.CLOCK_BOOTTIME) }
