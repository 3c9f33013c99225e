//go:build linux || darwin || freebsd || netbsd || openbsd

package stamp

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// exists asks whether there is a process with this pid, which must be positive.
func (a asker) exists(pid int) (Answer, string) {
	err := a.kill(pid)
	switch err {
	case nil:
		return Alive, fmt.Sprintf("kill(%d, 0): it is there", pid)
	case unix.EPERM: // somebody else's process, but a process
		return Alive, fmt.Sprintf("kill(%d, 0): EPERM, it is there", pid)
	case unix.ESRCH:
		if why := blind(); why != "" {
			return Unknown, fmt.Sprintf("kill(%d, 0): ESRCH, but %s", pid, why)
		}
		return Dead, fmt.Sprintf("kill(%d, 0): ESRCH", pid)
	}
	return Unknown, fmt.Sprintf("kill(%d, 0): %v", pid, err)
}
