package dirlock

import (
	"context"
	"math"
	"time"
)

const (
	firstPoll = 10 * time.Millisecond  // the back-off of a waiter starts here,
	lastPoll  = 350 * time.Millisecond // doubles, and stays here, if the settings do not say otherwise;
	busyPoll  = 40 * time.Millisecond  // or here, where the kernel tells of a release and others are always quicker

	// Where the kernel tells of a release and of the owner's end, looks are only there to notice that it does not.
	safetyPoll = 8 * time.Second
	// Where the heartbeat has to be watched besides, it is looked at as often as it comes, between lastPoll and this.
	beatPoll = time.Second

	// calm is how long a waiter sleeps without a notice if there is no brisk contention.
	calm = 20 * time.Millisecond
)

// afterNotice are the pauses between the looks that follow a notice: the stamp goes a moment before its directory does.
var afterNotice = [...]time.Duration{50 * time.Microsecond, 200 * time.Microsecond, time.Millisecond}

// How often the pause after a clash is doubled, and how long it gets: what a clash took includes what one was stopped, or cut off
// from the server, and says little then.
const (
	mostClashes  = 4
	longestClash = 5 * time.Second
)

// A rhythm is when an acquisition looks.
type rhythm struct {
	poll    time.Duration // the back-off; 0: no pause yet
	clashes int           // how often in a row two stamped at once
	quick   int           // looks still to come after a notice, see afterNotice
	name    string        // of the stamp that was in the way then
}

// brief reports whether the waiting has only begun.
func (r *rhythm) brief() bool { return r.poll < 4*firstPoll }

// backOff returns the next pause of one who polls.
func (r *rhythm) backOff(most time.Duration) time.Duration {
	r.poll = min(max(2*r.poll, firstPoll), most)
	return r.poll
}

// pause sleeps until the next look, or returns why the wait is over.
func (a *acquisition) pause(ctx context.Context, block *obstacle) error {
	if a.rhythm.poll == 0 {
		a.Tell() // which takes long the first time, and there is time now
	}
	d, listening := a.nextLook(*block)
	if !a.rhythm.brief() || listening && d > calm {
		a.readContent(block)
		a.place.saw(*block)
		a.prepare()
	}
	before := a.Clock.Mono()
	if d < time.Millisecond && a.Nap != nil {
		a.Nap(d)
		return context.Cause(ctx)
	}
	cause := a.sleep(ctx, d, a.place.wake)
	if cause != nil || !a.notices.changed() {
		return cause
	}
	select {
	case <-a.place.wake: // of the same release, mostly: the next look sees it, and the pause after that is not to be cut short
	default:
	}
	if a.Clock.Mono()-before > calm {
		a.rhythm.poll = firstPoll
	}
	a.rhythm.quick, a.rhythm.name = len(afterNotice), block.name
	return nil
}

// nextLook says how long to sleep, and whether a notice of the kernel is what is waited for.
func (a *acquisition) nextLook(block obstacle) (d time.Duration, listening bool) {
	r := &a.rhythm
	if r.quick > 0 && (block.name == "" || block.name == r.name) && block.clash == 0 {
		r.quick--
		return afterNotice[len(afterNotice)-1-r.quick], false
	}
	switch listening = a.notices.listening() || block.ours; {
	case block.ours, listening && a.notices.mortal(block.name):
		d = safetyPoll
	case listening:
		beat, _ := a.longer(block.stamp)
		d = min(max(beat, lastPoll), beatPoll, beat+a.set.poll/2) // and without a gap that would end the watching, see watch.add
	case a.canListen(block):
		d = r.backOff(busyPoll)
	default:
		d = r.backOff(a.set.poll)
	}
	r.quick = 0
	d = d/2 + a.Draw(d/2) // jitter, so that waiters do not walk in step
	// Two who always stamp at once, and withdraw, must drift apart: by more than the time that each is seen in there.
	if r.clashes = min(r.clashes+1, mostClashes); block.clash == 0 {
		r.clashes = 0
	}
	d += a.Draw(min(block.clash<<r.clashes, longestClash))
	if w := block.verdict.Wait; w > 0 && w < d {
		d = w + time.Millisecond + a.Draw(time.Millisecond) // the question is about to be settled, for all who wait
	}
	return d, listening
}

// forever is longer than any wait.
const forever = time.Duration(math.MaxInt64)

// sleep returns nil after d, or when there is a reason to look, or once at the end of Wait; else why the wait is over.
func (a *acquisition) sleep(ctx context.Context, d time.Duration, reason <-chan struct{}) error {
	if limit := a.deadline(); !limit.IsZero() {
		left := time.Until(limit)
		if left <= 0 {
			if !a.prolong() {
				return context.DeadlineExceeded
			}
			left = time.Until(a.deadline())
		}
		d = min(d, left+1)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-reason:
	case <-ctx.Done():
	}
	return context.Cause(ctx) // a done context wins a tie
}
