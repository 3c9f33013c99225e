package stamp

import "golang.org/x/sys/unix"

// KERN_PROC_PID and KERN_PROC_PGRP of sys/sysctl.h.
const (
	byPID   = 1
	byGroup = 2
)

// records asks for processes by sysctl(7), kern.proc2, which takes the size of a
// record and how many fit. A start time is what the wall clock said at the fork
// and stays as it is.
func records(by, n int) ([]record, error) {
	const most = 1024 // members of one group; more are an error, not a shorter list
	table, err := unix.SysctlRaw("kern.proc2", by, n, netbsdLayout.size, most)
	if err == unix.ESRCH { // none
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return netbsdLayout.parse(table)
}

// bootToken is the machine's uuid and the start of pid 1: what the wall clock said
// when the root file system was mounted, kept unchanged (main of init_main.c). NetBSD
// has no identity of a boot, and kern.boottime moves whenever the clock is set. A
// machine without a uuid, which is most that are not PCs, has no token.
func bootToken() (string, error) { return machineAndInit("machdep.dmi.system-uuid", 1) }

// caged reports whether this process lives in a pid space of its own: NetBSD has none.
func caged() bool { return false }

// blind says why a process that is not found may be there all the same, "" if it
// may not: with curtain the kernel hides others' processes, see
// secmodel_extensions(9).
func blind() string {
	if unprivileged() && !isSet("security.models.extensions.curtain", 0) {
		return "security.models.extensions.curtain hides others' processes"
	}
	return ""
}
