package heartbeat

import (
	"errors"
	"fmt"
	"time"
)

// The limits of [Settings]. A beat below MinHeartbeat would be lost in the granularity of clocks and schedulers; beyond
// MaxStale a dead owner on another host would be waited for longer than anybody looks.
const (
	MinHeartbeat = 10 * time.Millisecond
	MaxStale     = time.Hour
)

// Settings say how often a holder beats and how long it may be silent.
type Settings struct {
	Heartbeat time.Duration // between the starts of two beats; at least MinHeartbeat
	Stale     time.Duration // after this long without a beat others may take the lock over; 3*Heartbeat to MaxStale
}

// Validate reports the first limit that s does not keep. There are no defaults here: zero is an error.
func (s Settings) Validate() error {
	switch {
	case s.Heartbeat < MinHeartbeat:
		return fmt.Errorf("heartbeat: a heartbeat of %v is shorter than %v", s.Heartbeat, MinHeartbeat)
	case s.Stale > MaxStale:
		return fmt.Errorf("heartbeat: a stale time of %v is longer than %v", s.Stale, MaxStale)
	case s.Stale/3 < s.Heartbeat: // divided: a product could overflow
		return fmt.Errorf("heartbeat: a stale time of %v is shorter than three heartbeats of %v", s.Stale, s.Heartbeat)
	}
	return nil
}

// Margin is the time between the end of the holder's lease and the moment at which others may take over: a third of
// Stale. It is what a holder has for stopping its work.
func (s Settings) Margin() time.Duration { return s.Stale / 3 }

// Lease is how long a beat lasts, counted from before it was sent: Stale less the margin.
func (s Settings) Lease() time.Duration { return s.Stale - s.Margin() }

// readBack is how long beats may count before the modification time is read back again: a sixth of Stale, to the nearest
// beat (without the half, a microsecond's jitter puts it off by a whole one). With the margin at a third of Stale, a mount that stops
// moving it is noticed within half of the margin.
func (s Settings) readBack() time.Duration { return s.Stale/6 - s.Heartbeat/2 }

// early is how long before it is due a beat may be sent together with others.
func (s Settings) early() time.Duration { return s.Heartbeat / 32 }

// tick is how often the watchdog looks whether it slept. A pause that costs a lease lasts longer than a heartbeat, even
// with the shortest Stale of three; seen through ticks of a third it is measured as at least two thirds, safely above
// what drowsy allows.
func (s Settings) tick() time.Duration { return max(s.Heartbeat/3, time.Millisecond) }

// drowsy is how much sleep during one lease is not worth mentioning.
func (s Settings) drowsy() time.Duration { return s.Heartbeat / 2 }

// ErrGone is what a [Target] returns when its name is not there any more, or has no links left. It is definite.
var ErrGone = errors.New("heartbeat: the name is gone")

// ErrStill is what [Events].Failing is told when beats succeed but the modification time does not move.
var ErrStill = errors.New("heartbeat: beats succeed but the modification time does not move")
