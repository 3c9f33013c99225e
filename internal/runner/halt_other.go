//go:build unix && !linux

package runner

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// haltSelf stops this process, by SIGSTOP, since what os/signal once had in its hands it never gives back to the default.
// Where sig would be discarded, in an orphaned group, it does nothing: nobody would continue this process.
func haltSelf(sig syscall.Signal) {
	mine, err1 := unix.Getsid(0)
	parents, err2 := unix.Getsid(unix.Getppid())
	if sig == unix.SIGSTOP || err1 == nil && err2 == nil && mine == parents {
		unix.Kill(unix.Getpid(), unix.SIGSTOP)
	}
}
