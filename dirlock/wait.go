package dirlock

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// await returns the worker's result, or leaves when the wait is over and the worker is stuck in a call.
func (a *acquisition) await(ctx context.Context, results <-chan result, cancel context.CancelCauseFunc) (*Lock, error) {
	done, canceled := ctx.Done(), false
	for {
		var timer *time.Timer
		var fire <-chan time.Time
		if canceled {
			timer = time.NewTimer(grace)
		} else if limit := a.deadline(); !limit.IsZero() {
			timer = time.NewTimer(time.Until(limit) + grace)
		}
		if timer != nil {
			fire = timer.C
		}
		select {
		case r := <-results:
			stopTimer(timer)
			return r.lock, r.err
		case <-done:
			stopTimer(timer)
			done, canceled = nil, true
			continue
		case <-fire:
		}
		if !canceled && (time.Until(a.deadline()) > 0 || a.prolong()) {
			continue
		}
		if !a.leave() {
			r := <-results
			return r.lock, r.err
		}
		cause := context.Cause(ctx)
		if cause == nil {
			cause = context.DeadlineExceeded
		}
		cancel(cause)
		return nil, a.unanswered(cause)
	}
}

// unanswered is the error of a wait that ended while a call to the file system was under way: it names the holder that
// was seen last, if there was one.
func (a *acquisition) unanswered(cause error) error {
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	if last.seen() {
		return a.heldBy(last, cause)
	}
	err := fmt.Errorf("the file system has not answered for %v: %w", round(a.Clock.Mono()-a.started), cause)
	return &fs.PathError{Op: "acquire", Path: a.set.path, Err: err}
}

// saw notes what the last pass met, for a caller who leaves while the next one is under way.
func (a *acquisition) saw(block obstacle) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = block
}

// leave reports whether the caller may go; false if the result is there.
func (a *acquisition) leave() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = !a.done
	return a.left
}

// finish reports whether the caller is still there to take the result.
func (a *acquisition) finish() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = !a.left
	return a.done
}

func (a *acquisition) deadline() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit
}

// prolong moves the end of Wait, once, if an owner was met that is already silent for Stale and only the watching is
// missing: by a confirm window and a poll. Otherwise callers that wait for less than that could never win.
func (a *acquisition) prolong() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.extended || !a.last.verdict.Watching {
		return false
	}
	a.extended = true
	a.limit = time.Now().Add(stamp.Confirm(a.longer(a.last.stamp)) + lastPoll)
	return true
}

// How often the pause after a clash is doubled, and how long it gets: what a clash took includes what one was stopped, or cut off
// from the server, and says little then.
const (
	mostClashes  = 4
	longestClash = 5 * time.Second
)

// pause sleeps until the next look, or returns why the wait is over.
func (a *acquisition) pause(ctx context.Context, poll time.Duration, block obstacle) error {
	d := poll/2 + a.Draw(poll/2) // jitter, so that waiters do not walk in step
	if a.clashes = min(a.clashes+1, mostClashes); block.clash == 0 {
		a.clashes = 0
	}
	// Two who always stamp at once, and withdraw, must drift apart: by more than the time that each is seen in there.
	d += a.Draw(min(block.clash<<a.clashes, longestClash))
	if w := block.verdict.Wait; w > 0 && w < d {
		d = w + time.Millisecond + a.Draw(time.Millisecond) // the question is about to be settled, for all who wait
	}
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
	case <-ctx.Done():
	}
	return context.Cause(ctx) // a done context wins a tie
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
