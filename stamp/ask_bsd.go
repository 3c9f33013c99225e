//go:build darwin || freebsd || netbsd || openbsd

package stamp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// startSlack is what two readings of one start time may differ by: it is put together from two times that are both cut to
// microseconds.
const startSlack = 2

// exited proves nothing here: what a process table says is asked by lookup.
func exited(int) (how string, dead bool) { return "", false }

// lookup asks the process table for one process. The error matches fs.ErrNotExist if it is not there.
func lookup(_ Identity, pid int) (process, error) {
	list, err := records(byPID, pid)
	if err != nil {
		return process{}, err
	}
	for _, r := range list {
		if r.pid == pid {
			return process{start: r.start, group: r.group, zombie: r.zombie}, nil
		}
	}
	return process{}, fmt.Errorf("no process %d in the table: %w", pid, fs.ErrNotExist)
}

// groupExists asks whether the group, which must be greater than 1, has members. Zombies may count here.
func groupExists(_ Identity, group int) (Answer, string) {
	err := unix.Kill(-group, 0)
	switch err {
	case nil:
		return Alive, "kill: it is there"
	case unix.EPERM:
		return Alive, "kill: EPERM, it is there"
	case unix.ESRCH:
		if why := blind(); why != "" {
			return Unknown, "kill: ESRCH, but " + why
		}
		return Dead, "kill: ESRCH"
	}
	return Unknown, fmt.Sprintf("kill: %v", err)
}

// members asks the process table for a group.
func members(_ Identity, group int) (census, error) {
	list, err := records(byGroup, group)
	if err != nil {
		return census{}, err
	}
	if why := blind(); why != "" {
		return census{}, errors.New(why)
	}
	var c census
	for _, r := range list {
		switch {
		case r.group != group:
		case r.zombie:
			c.zombies++
		default:
			c.living = r.pid
		}
	}
	return c, nil
}

// identify reads who this process is. A table in which this process does not find itself as it knows itself is one that is
// not understood: then everything is unknown. There is one pid space and one reckoning of start times: both are 1.
func identify(pid int) (id Identity, exhausted bool) {
	id.PID = pid
	self, err := lookup(id, pid)
	if err != nil || self.group != unix.Getpgrp() || self.zombie {
		return id, errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENOMEM)
	}
	token, err := bootToken()
	if err != nil || token == "" || caged() {
		return id, false
	}
	sum := sha256.Sum256([]byte("mkdirlock boot " + token))
	copy(id.Boot[:], sum[:])
	id.Start, id.PIDNS, id.TimeNS, id.ProcOurs = self.start, 1, 1, true
	return id, false
}

// unprivileged reports whether this user may be kept from seeing others' processes.
func unprivileged() bool { return os.Geteuid() != 0 }

// isSet reports whether a number of the kernel's has the value.
func isSet(name string, value uint32) bool {
	got, err := unix.SysctlUint32(name)
	return err == nil && got == value
}
