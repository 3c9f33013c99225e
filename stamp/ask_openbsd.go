package stamp

import "golang.org/x/sys/unix"

// KERN_PROC_PID and KERN_PROC_PGRP of sys/sysctl.h.
const (
	byPID   = 1
	byGroup = 2
)

// records asks for processes by sysctl(2), KERN_PROC, which takes the size of a
// record and how many fit.
func records(by, n int) ([]record, error) {
	const most = 1024 // members of one group; more are an error, not a shorter list
	return sinceBoot(func() ([]record, error) {
		table, err := unix.SysctlRaw("kern.proc", by, n, openbsdLayout.size, most)
		if err == unix.ESRCH { // none
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return openbsdLayout.parse(table)
	})
}

// bootToken is the machine's uuid and the start of pid 1 after the boot, in
// milliseconds. OpenBSD has no identity of a boot, and kern.boottime moves
// whenever the clock is set. The uuid alone tells machines apart; that two boots
// of one machine may come out the same does no harm, since whoever held a lock
// before the boot is gone. It is rounded because two readings may differ by a
// microsecond; where that shows all the same, owners are foreign.
func bootToken() (string, error) { return machineAndInit("hw.uuid", 1000) }

// caged reports whether this process lives in a pid space of its own: OpenBSD has none.
func caged() bool { return false }

// blind says why a process that is not found may be there all the same, "" if it
// may not: neither kill(2) nor sysctl(2) hides any here.
func blind() string { return "" }
