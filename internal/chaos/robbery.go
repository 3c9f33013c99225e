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
			case silent >= j.Settings.Stale:
			case silent >= j.Settings.Lease() && j.slept(h.who, l.removed): // and took it anew, but had no time to say so
			case j.assumed(token, l.removed.To):
				j.report.Assumed++
			default:
				j.fault(RuleRobbed, l.removed.To, h.lock, fmt.Sprintf("%s lives and has not left, and was silent for at most %v of %v; %v",
					h.who, silent, j.Settings.Stale, l))
			}
		}
	}
}

// slept reports whether a process had slept shortly before.
func (j *judge) slept(who string, then Moment) bool {
	woke, ok := j.wokeBefore(who, 0, then.To)
	return ok && then.From <= woke+j.Settings.Settle()
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
