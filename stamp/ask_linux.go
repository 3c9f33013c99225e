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
func exited(pid int) (how string, dead bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	for err == unix.EINTR {
		n, err = unix.Poll(fds, 0)
	}
	if err != nil || n != 1 || fds[0].Revents&unix.POLLIN == 0 {
		return "", false
	}
	return fmt.Sprintf("pid %d has exited (pidfd)", pid), true
}
