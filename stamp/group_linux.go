package stamp

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// groupExists asks whether the group, which must be greater than 1, has members.
// Zombies count here.
func (a asker) groupExists(_ Identity, group int) (Answer, string) {
	err := a.kill(-group)
	switch err {
	case nil:
		return Alive, "kill: it is there"
	case unix.EPERM:
		return Alive, "kill: EPERM, it is there"
	case unix.ESRCH:
		return Dead, "kill: ESRCH"
	}
	return Unknown, fmt.Sprintf("kill: %v", err)
}

// members looks through /proc once. It errs when anything was hidden or could
// not be read, since that might have been a member.
func (a asker) members(id Identity, group int) (census, error) {
	p, err := a.ourProc(id)
	if err != nil {
		return census{}, err
	}
	defer p.Close()
	info, err := p.ReadFile("self/mountinfo")
	if err != nil {
		return census{}, err
	}
	if why := procHidden(info); why != "" {
		return census{}, errors.New(why)
	}
	names, err := p.Names()
	if err != nil {
		return census{}, err
	}
	var c census
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		st, err := p.stat(pid)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return census{}, err
		case st.group != group:
		case st.zombie():
			c.zombies++
		default:
			c.living = pid
			return c, nil
		}
	}
	return c, nil
}
