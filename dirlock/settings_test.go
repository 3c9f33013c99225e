package dirlock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Settings out of their range are refused before anything happens, by each way to the lock, and the error says which.
func TestSettingsAreRefused(t *testing.T) {
	const h = time.Second
	for name, c := range map[string]struct {
		m    Mutex
		says string
	}{
		"a heartbeat too short":      {Mutex{Heartbeat: leastHeartbeat - time.Millisecond}, "Heartbeat"},
		"a negative heartbeat":       {Mutex{Heartbeat: -h}, "Heartbeat"},
		"a heartbeat of half a ms":   {Mutex{Heartbeat: h + time.Millisecond/2}, "Heartbeat"},
		"stale of half a ms":         {Mutex{Stale: 30*time.Second + time.Millisecond/2}, "Stale"},
		"stale too short":            {Mutex{Heartbeat: h, Stale: 3*h - time.Millisecond}, "Stale"},
		"stale too long":             {Mutex{Stale: longestStale + time.Millisecond}, "Stale"},
		"a poll too short":           {Mutex{Poll: firstPoll - 1}, "Poll"},
		"a negative poll":            {Mutex{Poll: -h}, "Poll"},
		"a poll too long":            {Mutex{Poll: 10*h + 1}, "Poll"},
		"a mode with more than bits": {Mutex{Mode: 0o700 | fs.ModeSetuid}, "Mode"},
		"a mode without its owner":   {Mutex{Mode: 0o077}, "Mode"},
		"a note too long":            {Mutex{Note: strings.Repeat("x", longestNote+1)}, "Note"},
		"no group":                   {Mutex{Group: 1}, "Group"},
		"a negative group":           {Mutex{Group: -2}, "Group"},
	} {
		t.Run(name, func(t *testing.T) {
			c.m.Path = filepath.Join(t.TempDir(), "lock")
			_, acquire := c.m.Acquire(t.Context())
			_, try := c.m.TryAcquire()
			for _, err := range []error{acquire, try} {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want it to name %s", err, c.says)
				}
			}
			if _, err := os.Lstat(c.m.Path); !errors.Is(err, fs.ErrNotExist) {
				t.Error("something happened all the same:", err)
			}
		})
	}
}

// The limits themselves are within the range.
func TestSettingsAtTheirLimits(t *testing.T) {
	for _, m := range []Mutex{
		{Heartbeat: leastHeartbeat, Stale: 3 * leastHeartbeat},
		{Stale: longestStale},
		{Poll: firstPoll},
		{Poll: 10 * time.Second},
		{Mode: 0o700, Note: strings.Repeat("x", longestNote)},
	} {
		m.Path = filepath.Join(t.TempDir(), "lock")
		lock, err := m.TryAcquire()
		if err != nil {
			t.Errorf("%+v: %v", m, err)
			continue
		}
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
	}
}
