// The worker of dotlockfile(1). Default: retry for ever (-r -1) with its growing sleeps, no PID in the file. Fast: -p, which
// writes the caller's PID and asks whether it lives, and -i 1, the shortest sleep that it takes.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/aac6cccc/mkdirlock/bench/kit"
)

const program = "/usr/bin/dotlockfile"

func main() {
	runtime.LockOSThread() // the parent-death signal follows the thread
	kit.Run(kit.Worker{Version: version(), Acquire: acquire})
}

// version asks the package manager: the program has no option for it. Empty if there is no program.
func version() string {
	if _, err := os.Stat(program); err != nil {
		return ""
	}
	out, err := exec.Command("dpkg-query", "-W", "liblockfile-bin").Output()
	if err != nil {
		return fmt.Sprintf("%s (%v)", program, err)
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

func acquire(path string) (func() error, error) {
	args := []string{"-l", "-r", "-1", path}
	if kit.Fast() {
		args = []string{"-l", "-p", "-r", "-1", "-i", "1", path}
	}
	if err := run(args...); err != nil {
		return nil, err
	}
	return func() error { return run("-u", path) }, nil
}

func run(args ...string) error {
	c := exec.Command(program, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Run(); err != nil {
		return fmt.Errorf("dotlockfile: %w", err)
	}
	return nil
}
