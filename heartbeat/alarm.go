package heartbeat

import "time"

// An alarm wakes the scheduler up. It is one time.AfterFunc timer, so that waiting needs no goroutine: a lock held for
// microseconds starts none. It rings at or before the time that it was armed for last, perhaps for nothing, and says nothing about
// what time it is then: that is for Clock.Boot to say. The caller holds the scheduler's mutex.
type alarm struct {
	offset time.Duration // where in a quantum it rings
	ring   func()
	timer  *time.Timer
	at     time.Duration // when it rings, by Clock.Boot; only if armed
	armed  bool
}

// after is the first instant of the alarm's own at or after t.
func (a *alarm) after(t time.Duration) time.Duration {
	at := t&^(quantum-1) + a.offset
	if at < t {
		at += quantum
	}
	return at
}

// arm makes it ring at t, or when it would ring anyway if that is earlier.
func (a *alarm) arm(now, t time.Duration) {
	t = a.after(max(t, now))
	if a.armed && a.at <= t {
		return
	}
	a.at, a.armed = t, true
	if a.timer == nil {
		a.timer = time.AfterFunc(t-now, a.ring)
		return
	}
	a.timer.Reset(t - now)
}

// wake makes an armed alarm ring at once. After a suspend it would not: timers did not count it.
func (a *alarm) wake(now time.Duration) {
	a.at = now
	a.timer.Reset(0)
}

// rang takes in that it rang.
func (a *alarm) rang() { a.armed = false }

// disarm leaves no timer behind: it may belong to a synctest bubble that ends.
func (a *alarm) disarm() {
	if a.timer != nil {
		a.timer.Stop()
	}
	a.timer, a.armed = nil, false
}
