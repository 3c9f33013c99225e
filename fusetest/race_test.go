//go:build linux

package fusetest

import (
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// raced reports whether this is a build with the race detector, by which everything takes several times as long, in the servers too.
var raced = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
})

// crowd is how many may be about at a time, where it is the number alone that makes them slow.
func crowd(n int) int {
	if raced() {
		return max(n/4, 2)
	}
	return n
}

// ample is a wait that is to be long enough for whoever has only the machine to wait for.
func ample(d time.Duration) time.Duration {
	if raced() {
		return 3 * d
	}
	return d
}
