package stamp

import "golang.org/x/sys/unix"

// KERN_PROC_PID and KERN_PROC_PGRP of sys/sysctl.h.
const (
	byPID   = 1
	byGroup = 2
)

// records asks for processes by sysctl(2), KERN_PROC, which takes the size of a record and how many fit.
func records(by, n int) ([]record, error) {
	const most = 1024 // members of one group; more are an error, not a shorter list
	return sinceBoot(func() ([]record, error) {
		table, err := unix.SysctlRaw("kern.proc", by, n, openbsdLayout.size, most)
		if err != nil {
			return nil, err
		}
		return openbsdLayout.parse(table)
	})
}

// bootToken is the machine's uuid and the start of pid 1, in microseconds since the boot. Two boots of one host that came out
// the same would do no harm: whoever held a lock before the boot is dead.
func bootToken() (string, error) { return hostAndInit("hw.uuid") }

// caged reports whether this process lives in a pid space of its own: OpenBSD has none.
func caged() bool { return false }

// blind says why ESRCH proves nothing, "" if it does: kill(2) hides nothing here.
func blind() string { return "" }
