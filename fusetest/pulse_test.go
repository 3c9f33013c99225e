//go:build linux

package fusetest

import (
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// stopped is the longest that a thread was late which wants nothing but to wake up now and then: for so long, a busy machine lets
// nothing of this process run, and no bound can hold.
var stopped atomic.Int64

// feelPulse measures that from now on, with a thread of its own. Threads that hang in a mount do not keep it from waking up.
func feelPulse() {
	go func() {
		runtime.LockOSThread()
		for {
			const nap = 5 * time.Millisecond
			began := time.Now()
			ts := unix.NsecToTimespec(int64(nap))
			_ = unix.Nanosleep(&ts, nil)
			if late := int64(time.Since(began) - nap); late > stopped.Load() {
				stopped.Store(late)
			}
		}
	}()
}

// standstill is how long this process was kept from running at a time, so far.
func standstill() time.Duration { return time.Duration(stopped.Load()) }
