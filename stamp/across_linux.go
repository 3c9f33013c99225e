package stamp

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// initialPIDNS is the inode number of the initial pid namespace on every machine: PROC_PID_INIT_INO of linux/proc_ns.h.
const initialPIDNS = 0xeffffffc

// looksAcross is how often the processes are looked through before one is said to be missing. One look may miss it while another of
// its threads than the first calls execve, see asker.exited.
const looksAcross = 2

func (a asker) askAcross(id Identity, s Stamp) Evidence {
	switch {
	case s.PID <= 0 || s.PID > math.MaxInt32 || s.Group < 0 || s.Group == 1:
		return Evidence{How: fmt.Sprintf("%d is not a pid, or %d not a group", s.PID, s.Group)}
	case !id.Across(s) || id.PIDNS == 0 || s.PIDNS == 0:
		return Evidence{How: "not asked: the owner's kernel is another, or a pid namespace unknown"}
	}
	p, err := a.ourProc(id)
	if err != nil {
		return Evidence{How: "its pid namespace cannot be looked into: " + err.Error()}
	}
	defer p.Close()
	info, err := p.ReadFile("self/mountinfo")
	if err != nil {
		return Evidence{How: "its pid namespace cannot be looked into: " + err.Error()}
	}
	if why := procHidden(info); why != "" {
		return Evidence{How: "its pid namespace cannot be looked into: " + why}
	}
	how := fmt.Sprintf("no process here is pid %d of its pid namespace", s.PID)
	for range looksAcross {
		c, err := p.lookAcross(id, s)
		switch {
		case err != nil:
			return Evidence{How: "its pid namespace cannot be looked into: " + err.Error()}
		case c.owner != 0:
			return Evidence{Answer: Alive, How: fmt.Sprintf("it is pid %d here", c.owner)}
		case c.member != 0:
			return Evidence{Answer: Alive, How: fmt.Sprintf("pid %d here is, or may be, of its process group %d", c.member, s.Group)}
		case id.PIDNS != initialPIDNS && !c.seen:
			return Evidence{How: "no process of its pid namespace is seen here"}
		case c.again != "":
			how = c.again
		}
	}
	if s.Group != 0 {
		return Evidence{Zombies: true, How: fmt.Sprintf("%s, nor of its process group %d", how, s.Group)}
	}
	return Evidence{Answer: Dead, How: how}
}

// sight is what one look through all processes shows of a namespace within ours.
type sight struct {
	owner  int    // the pid here of the stamp's owner, 0 if it was not seen
	member int    // or of somebody else who is, or may be, of its group
	seen   bool   // somebody of the namespace was seen
	again  string // its number belongs to another process
}

// lookAcross errs when anything could not be read that might have been the owner.
func (p procfs) lookAcross(id Identity, s Stamp) (c sight, err error) {
	names, err := p.Names()
	if err != nil {
		return c, err
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if err := p.sightOf(&c, pid, id, s); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
			return c, fmt.Errorf("pid %d: %w", pid, err)
		}
		if c.owner != 0 || c.member != 0 {
			break
		}
	}
	return c, nil
}

// sightOf looks at one process.
func (p procfs) sightOf(c *sight, pid int, id Identity, s Stamp) error {
	name := strconv.Itoa(pid)
	status, err := p.ReadFile(name + "/status")
	if err != nil {
		return err
	}
	pids := parseNumbers(status, "NSpid:")
	switch {
	case len(pids) == 0:
		return errors.New("its status does not say what it is called in other namespaces")
	case len(pids) == 1:
		return nil // of our own
	}
	groups := parseNumbers(status, "NSpgid:")
	innermost := len(pids) - 1
	isOwner := pids[innermost] == s.PID
	isMember := s.Group != 0 && (len(groups) != len(pids) || slices.Contains(groups[1:], s.Group))
	if !isOwner && !isMember && (c.seen || id.PIDNS == initialPIDNS) {
		return nil
	}
	st, err := p.stat(pid)
	if err != nil {
		return err
	}
	link, err := p.Readlink(name + "/ns/pid")
	ns := parseNamespace("pid", link)
	if err == nil && ns == 0 {
		err = fmt.Errorf("its pid namespace is called %q", link)
	}
	if err != nil && (isOwner || isMember) && !st.zombie() {
		return err
	}
	within := err == nil && ns == s.PIDNS
	c.seen = c.seen || within
	switch {
	case st.zombie():
	case isOwner && within && restarted(id, s, st.start, s.Start):
		c.again = fmt.Sprintf("pid %d of its pid namespace was started again (start %d, stamp %d)", s.PID, st.start, s.Start)
	case isOwner && within:
		c.owner = pid
	// Its group may have members in namespaces further in, whose own number says nothing.
	case isMember && (within || len(groups) != len(pids) || slices.Contains(groups[1:innermost], s.Group)):
		c.member = pid
	}
	return nil
}

// parseNumbers returns the numbers of a line of /proc/PID/status, from the namespace of that /proc inwards, or nil if the line is missing or
// malformed. A group whose leader is not seen in a namespace has the number 0 there.
func parseNumbers(status []byte, key string) []int {
	for line := range bytes.Lines(status) {
		rest, ok := bytes.CutPrefix(line, []byte(key))
		if !ok {
			continue
		}
		var numbers []int
		for f := range bytes.FieldsSeq(rest) {
			n, err := strconv.Atoi(string(f))
			if err != nil || n < 0 {
				return nil
			}
			numbers = append(numbers, n)
		}
		return numbers
	}
	return nil
}
