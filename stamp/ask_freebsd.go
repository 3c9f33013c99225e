package stamp

import "golang.org/x/sys/unix"

const (
	byPID   = "kern.proc.pid"
	byGroup = "kern.proc.pgrp"
)

// records asks for processes by sysctl(3), KERN_PROC.
func records(by string, n int) ([]record, error) {
	return sinceBoot(func() ([]record, error) {
		table, err := unix.SysctlRaw(by, n)
		if err == unix.ESRCH { // none
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return freebsdLayout.parse(table)
	})
}

// bootToken is the host's uuid and the start of pid 1, in microseconds since the boot. Two boots of one host that came out the
// same would do no harm: whoever held a lock before the boot is dead.
func bootToken() (string, error) { return hostAndInit("kern.hostuuid") }

// caged reports whether this process lives in a jail. What it sees is not all there is, and jails have no number that
// another jail's process could compare.
func caged() bool { return !isSet("security.jail.jailed", 0) }

// blind says why ESRCH proves nothing, "" if it does: the kernel can be told to hide others' processes, see
// security.bsd.see_other_uids in security(7).
func blind() string {
	for _, name := range []string{"security.bsd.see_other_uids", "security.bsd.see_other_gids"} {
		if unprivileged() && !isSet(name, 1) {
			return name + " hides others' processes"
		}
	}
	return ""
}
