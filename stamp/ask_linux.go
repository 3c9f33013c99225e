package stamp

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// blind says why ESRCH proves nothing, "" if it does: on Linux kill(2) hides no
// process of our own pid namespace, whatever /proc shows.
func blind() string { return "" }

// exited asks through a pidfd, which works without any /proc. It polls readable
// once the process has exited with all its threads, reaped or not, and not for a
// leader that has left threads behind; see pidfd_open(2).
//
// It must poll so twice. When another thread than the first calls execve, a
// poll that found the first thread just before the exchange may judge it by what
// it is just after, and calls a process dead that lives (seen on Linux 6.18, twice
// in 1.5 million polls of a process that did nothing else). The next poll
// finds the thread that took over.
func exited(pid int) (how string, dead bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	for range 2 {
		if !pollsReadable(fd) {
			return "", false
		}
	}
	return fmt.Sprintf("pid %d has exited (pidfd)", pid), true
}

func pollsReadable(fd int) bool {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if err == unix.EINTR {
			continue
		}
		return err == nil && n == 1 && fds[0].Revents&unix.POLLIN != 0
	}
}
