package proptest

import (
	"sync"
	"time"
)

// A clock is the two clocks that a process reads. They stand still while it is stopped, since it cannot read them then, and
// have moved on when it runs again.
type clock struct {
	mu      sync.Mutex
	start   time.Time
	drift   int64         // parts per million by which the host's clocks run fast
	lag     time.Duration // how much of the time Mono has not counted: the host was suspended
	stopped bool
	mono    time.Duration // while stopped
	boot    time.Duration
	reads   int
	resumed time.Time // when the last stop ended
}

// elapsed is the time since the world began as this host counts it. It does not begin
// at zero, which no real clock shows. Multiples of 1024 ns keep the slots of heartbeat apart.
func (c *clock) elapsed() time.Duration {
	d := time.Since(c.start)
	return 1<<40 + d + (d/1_000_000*time.Duration(c.drift))&^1023
}

// Mono does not count suspend.
func (c *clock) Mono() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		c.creep()
		return c.mono
	}
	return c.elapsed() - c.lag
}

// Boot counts suspend.
func (c *clock) Boot() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		c.creep()
		return c.boot
	}
	return c.elapsed()
}

// creep lets a stopped clock go on a little now and then. Timers run on while a process is stopped, and one that waits for
// the clock to reach the next microsecond would ring for ever.
func (c *clock) creep() {
	if c.reads++; c.reads%64 == 0 {
		c.mono += time.Millisecond
		c.boot += time.Millisecond
	}
}

// stop makes the clocks stand still; cont lets them jump to where they are by now, but Mono without lag more.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mono, c.boot, c.stopped = c.elapsed()-c.lag, c.elapsed(), true
}

func (c *clock) cont(lag time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = false
	c.lag += lag
	c.resumed = time.Now()
}

// drowsy reports whether the process is stopped, or was a moment ago and need not have noticed yet.
func (c *clock) drowsy(moment time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped || !c.resumed.IsZero() && time.Since(c.resumed) <= moment
}
