package main

import (
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// nurse serves at an address in a child, which makes the file ready when it can be reached, and reaps whatever else ends: a first process inherits all orphans, and one that
// is left a zombie is not gone. It returns when the child has ended. Nothing else in this process may wait for a child.
func nurse(address, ready string) error {
	// By this name it can be had though something else may be mounted where it was.
	cmd := exec.Command("/proc/self/exe", "serve", address, ready)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	for {
		pid, err := unix.Wait4(-1, nil, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case pid == cmd.Process.Pid:
			return errors.New("the agent has ended")
		}
	}
}
