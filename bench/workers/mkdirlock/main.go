// The worker of this repository's own lock. Default: its own settings. Fast: a heartbeat of 0.1 s, stale after 3 s, which
// leaves a lease of 2 s on a busy machine. Both wait for as long as it takes.
package main

import (
	"context"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/kit"
	"github.com/aac6cccc/mkdirlock/dirlock"
)

func main() {
	m := dirlock.Mutex{Wait: -1}
	if kit.Fast() {
		m.Heartbeat, m.Stale = 100*time.Millisecond, 3*time.Second
	}
	kit.Run(kit.Worker{
		Version: "this tree",
		Acquire: func(path string) (func() error, error) {
			m := m
			m.Path = path
			lock, err := m.Acquire(context.Background())
			if err != nil {
				return nil, err
			}
			return lock.Release, nil
		},
	})
}
