//go:build unix && !linux

package fsys

import "time"

// localClock is a little behind the clock by which the kernel stamps files, which on some of these systems moves with a
// timer tick of 10 ms at most and cannot be read: an age is never made larger.
func localClock() time.Time { return time.Now().Add(-10 * time.Millisecond) }
