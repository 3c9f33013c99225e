package stamp

import "fmt"

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
func (a asker) exited(pid int) (how string, dead bool) {
	fd, err := a.sys.Pidfd(pid)
	if err != nil {
		return "", false
	}
	defer fd.Close()
	for range 2 {
		if !fd.Readable() {
			return "", false
		}
	}
	return fmt.Sprintf("pid %d has exited (pidfd)", pid), true
}
