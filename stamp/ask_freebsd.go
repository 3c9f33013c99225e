package stamp

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"
)

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

// bootToken is kern.boot_id, 16 bytes that the kernel draws anew at every boot,
// since FreeBSD 13. Nothing older will do: kern.boottime moves whenever the clock
// is set, and cloned machines have kern.hostuuid in common.
func bootToken() (string, error) {
	id, err := unix.SysctlRaw("kern.boot_id")
	if err == nil && (len(id) != 16 || bytes.Equal(id, make([]byte, 16))) {
		err = errors.New("kern.boot_id is not 16 random bytes")
	}
	return string(id), err
}

// caged reports whether this process lives in a jail. What it sees is not all
// there is, and inside a jail its number reads 0 like the host's (ki_jid in
// fill_kinfo_proc_only), so that two jails cannot be told apart.
func caged() bool { return !isSet("security.jail.jailed", 0) }

// blind says why a process that is not found may be there all the same, "" if it
// may not: kill(2) too answers ESRCH for one that is hidden. See
// security.bsd.see_other_uids in security(7), mac_seeotheruids(4) and
// mac_partition(4).
func blind() string {
	for _, name := range []string{"security.bsd.see_other_uids", "security.bsd.see_other_gids", "security.bsd.see_jail_proc"} {
		if unprivileged() && !isSet(name, 1) {
			return name + " hides others' processes"
		}
	}
	for _, name := range []string{"security.mac.seeotheruids.enabled", "security.mac.partition.enabled"} {
		if on, err := unix.SysctlUint32(name); err != unix.ENOENT && (err != nil || on != 0) {
			return name + " hides others' processes"
		}
	}
	return ""
}
