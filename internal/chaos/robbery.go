package chaos

import "fmt"

// judgeRobberies looks for stamps of live holders that others removed, although the owner had not been silent for Stale.
func (j *judge) judgeRobberies() {
	for _, h := range j.held {
		for i, token := range h.tokens() {
			l := j.byID[token]
			if l == nil || !l.gone || i < len(h.tokens())-1 { // a stamp that it replaced itself
				continue
			}
			if h.ended != nil && h.ended.At.From <= l.removed.To && (h.ended.Kind == Leave || h.ended.Kind == Lost) {
				continue // by itself, or it knew before
			}
			j.report.Robbed++
			if p := j.Procs[h.who]; p.Died && p.Death.From <= l.removed.To {
				continue
			}
			silent := l.silentBy(l.removed.To)
			switch {
			case silent+j.Settings.Tick >= j.Settings.Stale:
			case j.renewed(l): // and released it before it said so
			case j.assumed(token, l.removed.To):
				j.report.Assumed++
			default:
				j.fault(RuleRobbed, l.removed.To, h.lock, fmt.Sprintf("%s lives and has not left, and was silent for at most %v of %v; %v",
					h.who, silent, j.Settings.Stale, l))
			}
		}
	}
}

// judgePaused looks for stamps of live processes that were removed by others of the same kernel, whom that would have told: there a
// paused process is not a dead one, however long.
func (j *judge) judgePaused() {
	for _, r := range j.Records {
		if r.Kind != Took {
			continue
		}
		l := j.byID[r.Token]
		who, owner, known := j.owner(l)
		thief := j.Procs[r.Who]
		if !known || who == r.Who || owner.Kernel != thief.Kernel || owner.Died && owner.Death.From <= r.At.To {
			continue
		}
		j.fault(RuleRobbed, r.At.To, r.Lock, fmt.Sprintf("%s removed the stamp of %s, which lives on the same kernel; %v", r.Who, who, l))
	}
}

// renewed reports whether a stamp went because its owner, which had slept through its lease, took the lock anew: with a new stamp, made
// a moment before.
func (j *judge) renewed(old *life) bool {
	who, _, known := j.owner(old)
	for _, l := range j.lives {
		if !known || l == old || l.lock != old.lock || len(l.signs) == 0 {
			continue
		}
		if again, _, ok := j.owner(l); !ok || again != who {
			continue
		}
		made := l.signs[0].at
		if made.From <= old.removed.To && made.To >= old.removed.From-j.Settings.Settle() {
			return true
		}
	}
	return false
}

// tokens are the stamps by which it had the lock, in their order.
func (h *hold) tokens() (list []string) {
	for _, c := range h.claims {
		if len(list) == 0 || list[len(list)-1] != c.Token {
			list = append(list, c.Token)
		}
	}
	return list
}
