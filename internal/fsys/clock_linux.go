package fsys

import (
	"time"

	"golang.org/x/sys/unix"
)

var began = time.Now()

// Mono reads a clock that never steps and stands still while the machine is suspended: for observing others. It is Go's own
// monotonic clock, which is CLOCK_MONOTONIC on Linux, and costs no system call.
func Mono() time.Duration { return time.Since(began) }

// Boot reads a clock that never steps back and goes on while the machine is suspended: for leases.
func Boot() time.Duration { return read(unix.CLOCK_BOOTTIME) }

// localClock is the clock by which this kernel stamps files. It moves with the timer's tick and is a little behind
// time.Now, so that by the latter every file would look older than it is. (Since Linux 6.13 a stamp may be finer, and so up to
// a tick younger than this: an age is never made larger.)
func localClock() time.Time {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &ts); err != nil {
		return time.Now().Add(-10 * time.Millisecond) // no such clock: the longest tick there is
	}
	return time.Unix(ts.Unix())
}
