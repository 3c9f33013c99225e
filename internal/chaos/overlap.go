package chaos

import (
	"fmt"
	"slices"
	"time"
)

// judgeOverlaps looks for two who were in one lock at once.
func (j *judge) judgeOverlaps() {
	byLock := map[string][]*hold{}
	for _, h := range j.held {
		byLock[h.lock] = append(byLock[h.lock], h)
	}
	for _, list := range byLock {
		slices.SortStableFunc(list, func(a, b *hold) int { return int(a.enteredBy() - b.enteredBy()) })
		for i, elder := range list {
			for _, younger := range list[i+1:] {
				if younger.enteredBy() >= elder.claimedUntil() {
					continue // others may have come while it was inside, too: go on
				}
				j.overlap(elder, younger)
			}
		}
	}
}

// overlap judges two who were inside at once, the younger having entered while the elder still claimed to be.
func (j *judge) overlap(elder, younger *hold) {
	at := younger.enteredBy()
	token := elder.tokenAt(at)
	lapsed := false
	var evidence string
	if l := j.byID[token]; l != nil {
		lapsed = l.silentBy(at) >= j.Settings.Lease()
		evidence = l.String()
	} else {
		evidence = "the server saw nothing of stamp " + token
	}
	for _, c := range elder.claims {
		if c.At.From <= at {
			continue
		}
		last := time.Duration(0)
		if l := j.byID[token]; l != nil {
			last, _ = l.lastBy(at)
		}
		switch {
		case lapsed && c.Kind == Alive && j.drowsed(elder, c, last, last+j.Settings.Lease()):
		case j.assumed(token, at):
			j.report.Assumed++
			return
		default:
			j.fault(RuleOverlap, at, elder.lock, fmt.Sprintf("%s (since %v) said %s at %v, and %s had entered at %v (stamp %s); lease lapsed by then: %v; %s",
				elder.who, elder.first().At, c.Kind, c.At, younger.who, younger.first().At, younger.first().Token, lapsed, evidence))
			return
		}
	}
	j.report.Excused++
}

// assumed reports whether the server's date was stepped forward while the owner of a stamp was silent, and before t: who looks then for
// as long as it takes to confirm sees a beat as old as that. The design assumes that this does not happen.
func (j *judge) assumed(token string, t time.Duration) bool {
	l := j.byID[token]
	if l == nil {
		return false
	}
	for _, s := range j.Steps {
		if s.By < j.Settings.Stale-j.Settings.Lease() || s.At.From > t {
			continue
		}
		before, after := time.Duration(0), t
		for _, sign := range l.signs {
			if sign.maybe {
				continue
			}
			if sign.at.From <= s.At.To {
				before = max(before, sign.at.From)
			} else if sign.at.To <= t {
				after = min(after, sign.at.To)
			}
		}
		if after-before >= j.Settings.Confirm() {
			return true
		}
	}
	return false
}
