package stamp

import "fmt"

// process is what a kernel tells of a process other than this one.
type process struct {
	start  uint64 // in the unit of Stamp.Start; 0 unknown
	zombie bool   // it has exited with all its threads and waits to be reaped
}

// StartOf returns the start time of the process with this pid in our own pid
// namespace, in the unit of Stamp.Start. The error matches fs.ErrNotExist if
// there is no such process, and is any other when the kernel will not say, as
// with a /proc that is not our namespace's.
func StartOf(pid int) (uint64, error) {
	return here.startOf(Self(), pid)
}

func (a asker) startOf(id Identity, pid int) (uint64, error) {
	if pid <= 0 {
		return 0, fmt.Errorf("stamp: no process has the pid %d", pid)
	}
	p, err := a.lookup(id, pid)
	if err != nil {
		return 0, fmt.Errorf("stamp: start time of pid %d: %w", pid, err)
	}
	if p.start == 0 {
		return 0, fmt.Errorf("stamp: start time of pid %d is not known", pid)
	}
	return p.start, nil
}

// restarted reports whether two start times prove that a pid has been given to
// another process. They prove it only if both are known and were read in one
// time namespace, since a namespace may shift what is shown in it.
func restarted(id Identity, s Stamp, now, then uint64) bool {
	if id.TimeNS == 0 || id.TimeNS != s.TimeNS || now == 0 || then == 0 {
		return false
	}
	return max(now, then)-min(now, then) > startSlack
}
