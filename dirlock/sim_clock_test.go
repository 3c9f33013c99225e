package dirlock

import (
	"sync"
	"time"
)

// A simClock is the two clocks of a process, which its host may put to sleep, or a signal may stop.
type simClock struct {
	started time.Time

	cmu     sync.Mutex
	asleep  time.Duration // how much suspend Boot has counted on top of the bubble's time
	monoLag time.Duration // how much Mono has not
	wake    chan struct{} // closed when the pause ends; nil if there is none
	resumed time.Time     // when the last pause or suspend ended
	mono    time.Duration // both clocks as they stand still during a pause
	boot    time.Duration
	reads   int // of them
}

// Mono does not count suspend.
func (c *simClock) Mono() time.Duration {
	c.cmu.Lock()
	defer c.cmu.Unlock()
	if c.wake != nil {
		c.creep()
		return c.mono
	}
	return time.Since(c.started) - c.monoLag
}

// Boot counts suspend.
func (c *simClock) Boot() time.Duration {
	c.cmu.Lock()
	defer c.cmu.Unlock()
	if c.wake != nil {
		c.creep()
		return c.boot
	}
	return time.Since(c.started) + c.asleep
}

// creep lets the clocks of a paused process go on a little now and then. The bubble's timers run on during a pause, and one that
// waits for these clocks to reach the next microsecond would ring for ever.
func (c *simClock) creep() {
	if c.reads++; c.reads%64 == 0 {
		c.mono += time.Millisecond
		c.boot += time.Millisecond
	}
}

// suspend is a sleep of the host that took no time for anybody else.
func (c *simClock) suspend(d time.Duration) {
	c.cmu.Lock()
	defer c.cmu.Unlock()
	c.asleep += d
	c.resumed = time.Now()
}

// awake returns when the process is not paused.
func (c *simClock) awake() {
	for {
		c.cmu.Lock()
		wake := c.wake
		c.cmu.Unlock()
		if wake == nil {
			return
		}
		<-wake
	}
}

// drowsy reports whether the process is paused, or was a moment ago and may not have noticed yet.
func (c *simClock) drowsy(moment time.Duration) bool {
	c.cmu.Lock()
	defer c.cmu.Unlock()
	return c.wake != nil || !c.resumed.IsZero() && time.Since(c.resumed) < moment
}
