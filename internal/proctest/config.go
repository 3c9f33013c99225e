package proctest

import (
	"io/fs"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
)

// Variable holds a child's Config as JSON; a process that has it serves words.
const Variable = "MKDIRLOCK_PROCTEST"

// A Config is what a child is told at its start.
type Config struct {
	Path      string
	Wait      time.Duration
	Heartbeat time.Duration
	Stale     time.Duration
	Mode      fs.FileMode
	Note      string
	Group     int

	// Witness is the file that whoever is inside makes with O_EXCL. "": nobody looks.
	Witness string

	// ID is the child's name in messages. Start fills it in.
	ID string
}

func (c Config) mutex() dirlock.Mutex {
	return dirlock.Mutex{
		Path: c.Path, Wait: c.Wait, Heartbeat: c.Heartbeat, Stale: c.Stale,
		Mode: c.Mode, Note: c.Note, Group: c.Group,
	}
}

// Mutex returns the same lock on the same terms, for use in the test's own process.
func (c Config) Mutex() *dirlock.Mutex {
	m := c.mutex()
	return &m
}

// Quick returns the settings that most tests use: short enough to wait for, long enough for a loaded machine not to miss
// its beats.
func Quick(path string) Config {
	if Away() && len(elsewhere.Hosts) > 0 { // whose file system takes its time when others ask it, too
		return Config{Path: path, Heartbeat: time.Second, Stale: 6 * time.Second, Wait: 30 * time.Second}
	}
	return Config{Path: path, Heartbeat: 400 * time.Millisecond, Stale: 4 * time.Second, Wait: 30 * time.Second}
}
