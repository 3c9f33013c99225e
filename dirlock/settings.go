package dirlock

import (
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/aac6cccc/mkdirlock/heartbeat"
)

const (
	defaultWait      = 10 * time.Second
	defaultHeartbeat = time.Second
	defaultStale     = 30 * time.Second

	leastHeartbeat = 10 * time.Millisecond
	longestStale   = time.Hour
	longestNote    = 1024 // bytes
)

// settings are a Mutex's, validated and with the defaults filled in.
type settings struct {
	heartbeat.Settings

	path   string // as the caller wrote it, for messages
	wait   time.Duration
	poll   time.Duration
	try    bool
	mode   fs.FileMode // 0: from the parent
	note   string
	group  int
	logger *slog.Logger

	requireShared bool
}

func (m *Mutex) settings() (settings, error) {
	s := settings{
		Settings: heartbeat.Settings{Heartbeat: m.Heartbeat, Stale: m.Stale},
		path:     m.Path,
		wait:     m.Wait,
		poll:     m.Poll,
		mode:     m.Mode,
		note:     m.Note,
		group:    m.Group,
		logger:   m.Logger,

		requireShared: m.RequireShared,
	}
	if s.wait == 0 {
		s.wait = defaultWait
	}
	if s.poll == 0 {
		s.poll = lastPoll
	}
	if s.Heartbeat == 0 {
		s.Heartbeat = defaultHeartbeat
	}
	if s.Stale == 0 {
		s.Stale = defaultStale
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case s.Heartbeat < leastHeartbeat:
		return s, fmt.Errorf("dirlock: Heartbeat %v is less than %v", s.Heartbeat, leastHeartbeat)
	case s.Heartbeat%time.Millisecond != 0:
		return s, fmt.Errorf("dirlock: Heartbeat %v is not a whole number of milliseconds", s.Heartbeat)
	case s.Stale%time.Millisecond != 0:
		return s, fmt.Errorf("dirlock: Stale %v is not a whole number of milliseconds", s.Stale)
	case s.Stale < 3*s.Heartbeat:
		return s, fmt.Errorf("dirlock: Stale %v is less than 3 times Heartbeat %v", s.Stale, s.Heartbeat)
	case s.Stale > longestStale:
		return s, fmt.Errorf("dirlock: Stale %v is more than %v", s.Stale, longestStale)
	case s.poll < firstPoll:
		return s, fmt.Errorf("dirlock: Poll %v is less than %v", s.poll, firstPoll)
	case s.poll > s.Stale/3 && s.poll > lastPoll:
		return s, fmt.Errorf("dirlock: Poll %v is more than a third of Stale %v", s.poll, s.Stale)
	case s.mode&^fs.ModePerm != 0:
		return s, fmt.Errorf("dirlock: Mode %v has more than permission bits", s.mode)
	case s.mode != 0 && s.mode&0o700 != 0o700:
		return s, fmt.Errorf("dirlock: Mode %v keeps the lock's own owner out", s.mode)
	case len(s.note) > longestNote:
		return s, fmt.Errorf("dirlock: Note has %d bytes, more than %d", len(s.note), longestNote)
	case s.group < 0 || s.group == 1:
		return s, fmt.Errorf("dirlock: Group %d is not a process group", s.group)
	}
	return s, nil
}
