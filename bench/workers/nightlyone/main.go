// The worker of nightlyone/lockfile, which offers TryLock alone. Its documentation asks for a random sleep between tries and
// names none, so the sleeps are ours: uniform up to 100 ms, and up to 20 ms for fast. When the holder releases at the wrong
// moment, TryLock answers a bare "no such file", which is tried again too.
package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/kit"
	"github.com/nightlyone/lockfile"
)

func main() {
	kit.Run(kit.Worker{Version: kit.Module("github.com/nightlyone/lockfile"), Acquire: acquire})
}

func acquire(path string) (func() error, error) {
	most := 100 * time.Millisecond
	if kit.Fast() {
		most = 20 * time.Millisecond
	}
	l, err := lockfile.New(path)
	if err != nil {
		return nil, err
	}
	for {
		err := l.TryLock()
		if err == nil {
			return l.Unlock, nil
		}
		t, ok := errors.AsType[interface {
			error
			Temporary() bool
		}](err)
		if !errors.Is(err, fs.ErrNotExist) && (!ok || !t.Temporary()) {
			return nil, err
		}
		time.Sleep(rand.N(most))
	}
}
