//go:build !linux

package world

import "time"

func nap(d time.Duration) { time.Sleep(d) }
