//go:build darwin || freebsd || netbsd || openbsd

package stamp

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// startSlack is what two readings of one start time may differ by, in
// microseconds: where it is put together from two times, both are cut.
const startSlack = 2

func (asker) kill(pid int) error { return unix.Kill(pid, 0) }

// exited proves nothing here: what a process table says is asked by lookup.
func (asker) exited(int) (how string, dead bool) { return "", false }

// lookup asks the process table for one process. The error matches fs.ErrNotExist
// if it is not there.
func (asker) lookup(_ Identity, pid int) (process, error) {
	r, err := find(pid)
	return process{start: r.start, zombie: r.zombie}, err
}

func find(pid int) (record, error) {
	list, err := records(byPID, pid)
	if err != nil {
		return record{}, err
	}
	for _, r := range list {
		if r.pid == pid {
			return r, nil
		}
	}
	return record{}, fmt.Errorf("no process %d in the table: %w", pid, fs.ErrNotExist)
}

// groupExists asks whether the group, which must be greater than 1, has members.
// Unlike on Linux, ESRCH alone proves nothing: these kernels also answer it for a
// group of which we may signal no member, such as one that has changed its user
// (killpg1 of each of them). The process table has to be without them too.
func (a asker) groupExists(id Identity, group int) (Answer, string) {
	err := a.kill(-group)
	switch err {
	case nil:
		return Alive, "kill: it is there"
	case unix.EPERM:
		return Alive, "kill: EPERM, it is there"
	case unix.ESRCH:
		c, err := a.members(id, group)
		switch {
		case err != nil:
			return Unknown, fmt.Sprintf("kill: ESRCH, but its members cannot be counted: %v", err)
		case c != census{}:
			return Alive, "in the process table"
		}
		return Dead, "kill: ESRCH, and the process table has none of it"
	}
	return Unknown, fmt.Sprintf("kill: %v", err)
}

// members asks the process table for a group.
func (asker) members(_ Identity, group int) (census, error) {
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

// identify reads who this process is. A table in which this process does not find
// itself as it knows itself is one that is not understood, and one that hides
// processes cannot be asked about them: then everything is unknown, and owners are
// judged by their heartbeats. There is one pid space and one reckoning of start
// times: both are 1.
func (asker) identify(pid int) (id Identity, exhausted bool) {
	id.PID = pid
	self, err := find(pid)
	if err != nil || self.group != unix.Getpgrp() || self.zombie {
		return id, errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENOMEM)
	}
	token, err := bootToken()
	if err != nil || token == "" || caged() || blind() != "" {
		return id, false
	}
	sum := sha256.Sum256([]byte("mkdirlock boot " + token))
	copy(id.Boot[:], sum[:])
	id.Start, id.PIDNS, id.TimeNS, id.ProcOurs = self.start, 1, 1, true
	return id, false
}
