// The worker of rogpeppe/go-internal's lockedfile.Mutex: it blocks in flock(2) on Linux, and has no settings.
package main

import (
	"github.com/aac6cccc/mkdirlock/bench/kit"
	"github.com/rogpeppe/go-internal/lockedfile"
)

func main() {
	kit.Run(kit.Worker{
		Version: kit.Module("github.com/rogpeppe/go-internal"),
		Acquire: func(path string) (func() error, error) {
			unlock, err := lockedfile.MutexAt(path).Lock()
			if err != nil {
				return nil, err
			}
			return func() error { unlock(); return nil }, nil
		},
	})
}
