package chaos

import (
	"fmt"
	"time"
)

// judgeLeases looks for claims after the lease. A lease is counted from before a beat was sent, and so ends no later than
// counted from when the server saw that beat.
func (j *judge) judgeLeases() {
	for _, h := range j.held {
		seen := true
		for _, c := range h.claims[1:] {
			l := j.byID[c.Token]
			if l == nil {
				seen = false
				continue
			}
			last, ok := l.lastBy(c.At.To)
			if !ok {
				continue
			}
			end := last + j.Settings.Lease()
			if c.At.From <= end+j.Settings.Slack || c.Kind == Alive && j.drowsed(h, c, last, end) {
				continue
			}
			j.fault(RuleLease, c.At.From, h.lock, fmt.Sprintf("%s said %s at %v, and the lease by the last beat that the server saw, at %.3fs, ended at %.3fs; %v",
				h.who, c.Kind, c.At, last.Seconds(), end.Seconds(), l))
			break // one such claim is followed by many
		}
		if !seen {
			j.report.Unseen++
		}
	}
}

// drowsed reports whether a claim after the end of a lease is one that a process makes which slept through that end: it has
// had no time since then to learn what became of the lock. Check waits for that, and so has no such excuse.
func (j *judge) drowsed(h *hold, c Record, since, end time.Duration) bool {
	woke, ok := j.wokeBefore(h.who, since, c.At.To)
	return ok && c.At.From <= max(woke, end)+j.Settings.Settle()
}
