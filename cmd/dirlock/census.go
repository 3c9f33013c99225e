package main

import (
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// A census decides whether the command's group has a living member by the very rule by which others judge it: were
// dirlock to wait for a group that they hold for gone, or to leave one that they hold for alive, one of them would be wrong.
type census struct {
	asked   time.Time
	zombies int // scans in a row that saw nothing else
	over    bool
}

// scanEvery is how often all processes are looked through.
const scanEvery = time.Second

func newCensus() *census { return &census{} }

// gone is asked about a group that kill(2) says is there, after its leader has ended.
func (c *census) gone(group int) bool {
	now := time.Now()
	if c.over || now.Sub(c.asked) < scanEvery {
		return c.over
	}
	c.asked = now
	id := stamp.Self()
	// The leader was reaped, and its number is taken until its group is empty: so the answer is about the group alone.
	e := stamp.Ask(id, stamp.Stamp{
		Version: stamp.Version, PID: group, Group: group,
		Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS,
	})
	if e.Zombies {
		c.zombies++
	} else {
		c.zombies = 0
	}
	c.over = e.Answer == stamp.Dead || c.zombies >= 2 // one scan can miss a member that forks meanwhile
	return c.over
}
