package stamp

import "golang.org/x/sys/unix"

const (
	byPID   = "kern.proc.pid"
	byGroup = "kern.proc.pgrp"
)

// records asks for processes by sysctl(3), KERN_PROC. A start time is what the
// wall clock said at the fork and stays as it is; SZOMB of sys/proc.h is 5.
func records(by string, n int) ([]record, error) {
	table, err := unix.SysctlKinfoProcSlice(by, n)
	if err != nil {
		return nil, err
	}
	var list []record
	for _, k := range table {
		start := k.Proc.P_starttime
		list = append(list, record{
			pid:    int(k.Proc.P_pid),
			group:  int(k.Eproc.Pgid),
			start:  uint64(start.Sec)*1e6 + uint64(start.Usec),
			zombie: k.Proc.P_stat == 5,
		})
	}
	return list, nil
}

// bootToken is kern.bootsessionuuid, which the kernel draws anew at every boot.
// (kern.boottime would not do: it moves whenever the clock is set.)
func bootToken() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// caged reports whether this process lives in a pid space of its own: macOS has none.
func caged() bool { return false }

// blind says why a process that is not found may be there all the same, "" if it
// may not. A sandbox may hide others' processes, and then hides launchd too.
func blind() string {
	if _, err := find(1); err != nil {
		return "other processes are hidden"
	}
	return ""
}
