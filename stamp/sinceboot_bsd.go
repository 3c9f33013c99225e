//go:build freebsd || openbsd

package stamp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// sinceBoot turns the start times of a table into microseconds since the boot. These kernels keep them so, and show them
// with the time of the boot added, which moves whenever somebody sets the clock: an old reading would then prove a living
// process dead. (The kernels' own sources: kern_proc.c of FreeBSD, kern_sysctl.c of OpenBSD.)
func sinceBoot(table func() ([]record, error)) ([]record, error) {
	for range 5 {
		before, err := bootTime()
		if err != nil {
			return nil, err
		}
		list, err := table()
		if err != nil {
			return nil, err
		}
		if after, err := bootTime(); err != nil || after != before { // the clock was set meanwhile
			continue
		}
		for i, r := range list {
			list[i].start = 0
			if r.start > before {
				list[i].start = r.start - before
			}
		}
		return list, nil
	}
	return nil, errors.New("the clock is being set all the time")
}

// bootTime is kern.boottime, a struct timeval, in microseconds.
func bootTime() (uint64, error) {
	b, err := unix.SysctlRaw("kern.boottime")
	if err != nil {
		return 0, err
	}
	if len(b) != 16 {
		return 0, fmt.Errorf("kern.boottime has %d bytes", len(b))
	}
	sec, usec := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return sec*1e6 + usec, nil
}
