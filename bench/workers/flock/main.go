// The worker of bare flock(2): open, flock, and close to release. No waiter of any lock can do with less, since the kernel
// itself wakes it: the floor of waiting.
package main

import (
	"github.com/aac6cccc/mkdirlock/bench/kit"
	"golang.org/x/sys/unix"
)

func main() {
	kit.Run(kit.Worker{Version: "system calls", Acquire: acquire})
}

// acquire opens the file each time: descriptors that share an open file share the lock.
func acquire(path string) (func() error, error) {
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(fd, unix.LOCK_EX)
		if err == nil {
			return func() error { return unix.Close(fd) }, nil
		}
		if err != unix.EINTR {
			unix.Close(fd)
			return nil, err
		}
	}
}
