package chaos

import (
	"fmt"
	"time"
)

// A Moment is when something happened, as far as it is known: at some time from From to To. Times are the machine's, counted
// from the beginning of the trial.
type Moment struct{ From, To time.Duration }

// At is a moment that is known exactly.
func At(t time.Duration) Moment { return Moment{t, t} }

// String gives the moment in seconds.
func (m Moment) String() string {
	if m.To-m.From < time.Millisecond {
		return fmt.Sprintf("%.3fs", m.From.Seconds())
	}
	return fmt.Sprintf("%.3f-%.3fs", m.From.Seconds(), m.To.Seconds())
}

// A Clock translates the readings of a host's clock, which runs as fast as the machine's and began at another time.
// The zero value knows nothing yet.
type Clock struct {
	least, most time.Duration // of what must be added
	known       bool
}

// Add takes in a reading that was taken between two readings of the machine's clock.
func (c *Clock) Add(before, reading, after time.Duration) {
	least, most := before-reading, after-reading
	if !c.known {
		c.least, c.most, c.known = least, most, true
		return
	}
	c.least, c.most = max(c.least, least), min(c.most, most)
	if c.least > c.most { // two clocks that drift apart by as little as the error: the middle is as good as any
		middle := (c.least + c.most) / 2
		c.least, c.most = middle, middle
	}
}

// Known reports whether there was a reading.
func (c *Clock) Known() bool { return c.known }

// Error is how far a translated time may be off.
func (c *Clock) Error() time.Duration { return c.most - c.least }

// Machine translates a moment of the host's.
func (c *Clock) Machine(m Moment) Moment { return Moment{m.From + c.least, m.To + c.most} }
