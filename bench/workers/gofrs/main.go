// The worker of gofrs/flock: Lock blocks in flock(2). It has no settings.
package main

import (
	"github.com/aac6cccc/mkdirlock/bench/kit"
	"github.com/gofrs/flock"
)

func main() {
	kit.Run(kit.Worker{
		Version: kit.Module("github.com/gofrs/flock"),
		Acquire: func(path string) (func() error, error) {
			l := flock.New(path) // a new one each time: one that is locked already answers "locked" to everybody
			if err := l.Lock(); err != nil {
				return nil, err
			}
			return l.Unlock, nil
		},
	})
}
