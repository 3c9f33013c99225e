package heartbeat

import (
	"container/list"
	"time"
)

// Beat is one lock's place in a [Scheduler]. It is made by [Scheduler.Start], and everything in it is guarded by the scheduler's mutex.
type Beat struct {
	s      *Scheduler
	seq    uint64
	group  string
	target Target
	set    Settings
	events Events

	phase time.Duration // beats are due at whole heartbeats plus this
	due   time.Duration
	lease lease
	pulse pulse
	slept time.Duration // the scheduler's account of sleep when the lease began
	late  bool          // the lease had run out before Start

	duePlace, leasePlace int
	waiting              *list.Element // in its group's line of ready beats

	failing bool // the last beat failed: do not tell again
	ended   bool // stopped, gone or lapsed: no further beat
	stopped bool // by Stop: no further event
	gone    bool
	untold  []func()
}

// Stop ends the beating and the watching. After it has returned, no beat is sent except one that was handed to the Target already, whose
// outcome is ignored; Stop does not wait for it. No event is told except one whose callback is being
// called already. It may be called more than once, from anywhere, and never blocks.
func (b *Beat) Stop() {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	b.stopped = true
	if !b.ended {
		b.s.forget(b)
	}
}

// Remaining is what is left of the lease by Clock.Boot, now. Zero or less means that it has run out, which is final: it
// is never extended again. After Stop it goes on running down; after Gone it is zero or less.
func (b *Beat) Remaining() time.Duration {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	left := b.lease.end() - b.s.now()
	if b.gone {
		return min(left, 0)
	}
	return left
}

// next is the first instant after t at which a beat is due. The grid is one for all locks of one heartbeat, whenever they were
// started, which keeps them spread out; after a delay, however long, it leads back to one beat per interval.
func (b *Beat) next(t time.Duration) time.Duration {
	h := b.set.Heartbeat
	return (t-b.phase+h)/h*h + b.phase
}

// fail tells the first error in a row.
func (b *Beat) fail(err error) {
	if b.failing {
		return
	}
	b.failing = true
	if f := b.events.Failing; f != nil {
		b.tell(func() { f(err) })
	}
}

// vanish ends b: its name is gone.
func (b *Beat) vanish() {
	b.gone = true
	b.s.forget(b)
	if f := b.events.Gone; f != nil {
		b.tell(f)
	}
}
