package fsys

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var unbiased = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// Mono reads a clock that never steps and stands still while the machine is suspended: for observing others.
func Mono() time.Duration {
	var t uint64 // units of 100 ns
	unbiased.Call(uintptr(unsafe.Pointer(&t)))
	return time.Duration(t) * 100
}

// Boot reads a clock that never steps back and goes on while the machine is suspended: for leases. It ticks every 10 to 16 ms.
func Boot() time.Duration { return windows.DurationSinceBoot() }

// localClock is the clock that Touch puts on files; time.Now may be a tick behind it, never ahead.
func localClock() time.Time { return time.Now() }
