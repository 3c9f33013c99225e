package world

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps for less than a millisecond, which is as short as Go's timers get while nothing else runs: the runtime's poller waits
// for whole ones. It holds a thread for so long.
func nap(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // interrupted: the sooner the look
}
