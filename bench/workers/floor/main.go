// The floor of the protocol in bare system calls: mkdir, exclusive create, write, close, list, unlink, rmdir. A waiter sleeps until
// inotify tells of a removal. Profile nolist leaves the listing out. Held locks are kept by a bare loop of utimensat.
package main

import (
	"time"

	"github.com/aac6cccc/mkdirlock/bench/kit"
	"golang.org/x/sys/unix"
)

const owner = "/owner"

func main() {
	kit.Run(kit.Worker{Version: "system calls", Acquire: acquire, Keep: keep})
}

var content [200]byte // as long as a stamp's, about

func acquire(path string) (func() error, error) {
	if err := wait(path); err != nil {
		return nil, err
	}
	fd, err := unix.Open(path+owner, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := unix.Write(fd, content[:]); err != nil {
		return nil, err
	}
	if err := unix.Close(fd); err != nil {
		return nil, err
	}
	if kit.Profile() != "nolist" {
		if err := list(path); err != nil {
			return nil, err
		}
	}
	return func() error {
		if err := unix.Unlink(path + owner); err != nil {
			return err
		}
		return unix.Rmdir(path)
	}, nil
}

func list(path string) error {
	var entries [4096]byte
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	for n := 1; n > 0; {
		if n, err = unix.Getdents(fd, entries[:]); err != nil {
			return err
		}
	}
	return unix.Close(fd)
}

// keep touches each file once a second, one after the other.
func keep(paths []string) error {
	now := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	for range time.Tick(time.Second) {
		for _, p := range paths {
			if err := unix.UtimesNanoAt(unix.AT_FDCWD, p+owner, now, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
