// The worker of flock(1) as shell scripts use it: open a file, run "flock FD" on the inherited descriptor, close the file to
// release. It has no settings.
package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/aac6cccc/mkdirlock/bench/kit"
)

const program = "/usr/bin/flock"

func main() {
	runtime.LockOSThread() // the parent-death signal follows the thread
	out, err := exec.Command(program, "--version").Output()
	version := strings.TrimSpace(string(out))
	if err != nil {
		version = ""
	}
	kit.Run(kit.Worker{Version: version, Acquire: acquire})
}

func acquire(path string) (func() error, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, "3")
	c.ExtraFiles = []*os.File{f}
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Run(); err != nil {
		f.Close()
		return nil, err
	}
	return f.Close, nil
}
