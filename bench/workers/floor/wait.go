package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

var watcher = -1 // closing one takes the kernel some 15 ms: it is left to the process's end

// wait makes the directory, as soon as the kernel tells that the one that is in the way has gone. It is what any protocol that
// locks with a directory has to do at least; who dies is not noticed.
func wait(path string) error {
	var events [4096]byte
	for {
		err := unix.Mkdir(path, 0o700)
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
		if watcher < 0 {
			if watcher, err = unix.InotifyInit1(unix.IN_CLOEXEC); err != nil {
				return err
			}
		}
		switch _, err := unix.InotifyAddWatch(watcher, path, unix.IN_DELETE_SELF|unix.IN_ONLYDIR); {
		case errors.Is(err, unix.ENOENT):
			continue
		case err != nil:
			return err
		}
		if err := unix.Mkdir(path, 0o700); !errors.Is(err, unix.EEXIST) { // it may have gone before it was watched
			return err
		}
		if _, err := unix.Read(watcher, events[:]); err != nil {
			return err
		}
	}
}
