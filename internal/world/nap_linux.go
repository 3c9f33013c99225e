package world

import (
	"time"

	"golang.org/x/sys/unix"
)

// napping has a place for each thread that may sleep in the kernel: of thousands who are woken at one time, most use a timer.
var napping = make(chan struct{}, 4)

// nap sleeps for less than a millisecond, which is as short as Go's timers get while nothing else runs: the runtime's poller waits
// for whole ones. It holds a thread for so long.
func nap(d time.Duration) {
	select {
	case napping <- struct{}{}:
		defer func() { <-napping }()
	default:
		time.Sleep(d)
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // interrupted: the sooner the look
}
