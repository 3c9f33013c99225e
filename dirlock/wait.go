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
	if last := a.seen(); last.seen() {
		return a.heldBy(last, cause)
	}
	if a.behind() {
		err := fmt.Errorf("others of this process, who came before, have waited for it for %v: %w", round(a.Clock.Mono()-a.started), cause)
		return &fs.PathError{Op: "acquire", Path: a.set.path, Err: err}
	}
	err := fmt.Errorf("the file system has not answered for %v: %w", round(a.Clock.Mono()-a.started), cause)
	return &fs.PathError{Op: "acquire", Path: a.set.path, Err: err}
}

// seen is what was last met, by this acquisition or by who stands before it in the line.
func (a *acquisition) seen() obstacle {
	a.mu.Lock()
	place := a.place
	a.mu.Unlock()
	if place == nil {
		return obstacle{}
	}
	return place.seen()
}

// behind reports whether others of this process stand before this one.
func (a *acquisition) behind() bool {
	a.mu.Lock()
	place := a.place
	a.mu.Unlock()
	return place != nil && !place.first()
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
	last := a.seen()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.extended || !last.verdict.Watching {
		return false
	}
	a.extended = true
	a.limit = time.Now().Add(stamp.Confirm(a.longer(last.stamp)) + a.set.poll)
	return true
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}
