//go:build unix

package fsys

import (
	"time"

	"golang.org/x/sys/unix"
)

// read panics where the kernel lacks a clock that it has had for longer than Go has supported it: there is no second best
// that a lease may be counted on.
func read(clock int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		panic("fsys: clock_gettime: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
