//go:build unix

package runner

import (
	"golang.org/x/sys/unix"
)

// terminal is the controlling terminal of this process. A nil *terminal is none.
type terminal struct{ fd int }

// openTerminal finds the controlling terminal.
func openTerminal() *terminal {
	if fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0); err == nil {
		return &terminal{fd}
	}
	for fd := range 3 { // a container may lack /dev/tty
		if controls(fd) {
			return &terminal{fd}
		}
	}
	return nil
}

// controls reports whether fd is the controlling terminal.
func controls(fd int) bool {
	_, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP) // ENOTTY for every other terminal
	return err == nil
}

// owner returns the foreground process group, 0 if there is none to speak of.
func (t *terminal) owner() int {
	if t == nil {
		return 0
	}
	pgrp, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil || pgrp <= 0 {
		return 0
	}
	return pgrp
}

// give makes pgrp the foreground process group. SIGTTOU must be ignored.
func (t *terminal) give(pgrp int) error {
	return unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, pgrp)
}

func (t *terminal) close() {
	if t != nil && t.fd > 2 {
		unix.Close(t.fd)
	}
}

// alone guesses whether nobody else in this process's group uses the terminal: it is a job of its own, and not part of
// a pipeline that may end in a pager. A wrong guess costs no more than a SIGTTIN, which is dealt with.
func alone() bool { return unix.Getpgrp() == unix.Getpid() && controls(0) && controls(1) }
