package stamp

import (
	"fmt"
	"math"
)

// census is what is left of a process group.
type census struct {
	living  int // the pid of one living member, 0 if none was seen
	zombies int // how many
}

// askGroup answers for the group of a stamp whose process is dead, as how says.
func (a asker) askGroup(id Identity, s Stamp, how string) Evidence {
	say := func(answer Answer, format string, args ...any) Evidence {
		return Evidence{Answer: answer, How: fmt.Sprintf("%s; group %d: %s", how, s.Group, fmt.Sprintf(format, args...))}
	}
	// kill(-1) means every process there is, so group 1 cannot be asked about.
	if s.Group <= 1 || s.Group > math.MaxInt32 {
		return say(Unknown, "not the number of a group")
	}
	answer, why := a.groupExists(id, s.Group)
	if answer != Alive {
		return say(answer, "%s", why)
	}
	// No kernel gives a pid away that still names a group with members, so a
	// new process under the leader's number means that the old group is empty.
	if p, err := a.lookup(id, s.Group); err == nil && restarted(id, s, p.start, s.GroupStart) {
		return say(Dead, "%s", startedAgain(s.Group, p.start, s.GroupStart))
	}
	c, err := a.members(id, s.Group)
	switch {
	case err != nil:
		return say(Alive, "%s; its members cannot be counted: %v", why, err)
	case c.living != 0:
		return say(Alive, "pid %d lives", c.living)
	case c.zombies != 0:
		ev := say(Alive, "only zombies seen (%d)", c.zombies)
		ev.Zombies = true
		return ev
	}
	// Somebody was there a moment ago: the next look will tell.
	return say(Alive, "%s, but no member was seen", why)
}
