package stamp

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// KERN_PROC_PID and KERN_PROC_PGRP of sys/sysctl.h.
const (
	byPID   = 1
	byGroup = 2
)

// records asks for processes by sysctl(7), kern.proc2, which takes the size of a record and how many fit. A start time is what
// the wall clock said at the fork and stays as it is.
func records(by, n int) ([]record, error) {
	const most = 1024 // members of one group; more are an error, not a shorter list
	table, err := unix.SysctlRaw("kern.proc2", by, n, netbsdLayout.size, most)
	if err != nil {
		return nil, err
	}
	return netbsdLayout.parse(table)
}

// bootToken is the machine's uuid and the start of pid 1: the wall clock's time when it was made, once a boot.
func bootToken() (string, error) {
	host, err := unix.Sysctl("machdep.dmi.system-uuid")
	if err != nil { // not a PC: by its name, which only ever parts hosts that are one
		if host, err = unix.Sysctl("kern.hostname"); err != nil {
			return "", err
		}
	}
	first, err := lookup(Identity{}, 1)
	if err != nil || first.start == 0 || host == "" {
		return "", errors.Join(errors.New("no start of pid 1"), err)
	}
	return fmt.Sprintf("%s %d", host, first.start), nil
}

// caged reports whether this process lives in a pid space of its own: NetBSD has none.
func caged() bool { return false }

// blind says why ESRCH proves nothing, "" if it does: with curtain the kernel hides others' processes, see secmodel_extensions(9).
func blind() string {
	if unprivileged() && !isSet("security.models.extensions.curtain", 0) {
		return "security.models.extensions.curtain hides others' processes"
	}
	return ""
}
