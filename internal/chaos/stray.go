package chaos

import (
	"fmt"
	"time"
)

// An idle is when a process had nothing to do with a lock: it did not ask for it, had not got it, and had released it.
type idle struct {
	lock string
	span Moment
}

// idles finds, for each process, when it had to do with which lock.
func (j *judge) idles() {
	j.idle = map[string][]idle{}
	type state struct {
		since map[string]time.Duration // it has nothing to do with a lock
		begun time.Duration
		lock  string // with this one it has
		last  time.Duration
	}
	states := map[string]*state{}
	for _, r := range j.Records {
		s := states[r.Who]
		if s == nil {
			s = &state{since: map[string]time.Duration{}, begun: r.At.To}
			states[r.Who] = s
		}
		s.last = r.At.From
		switch r.Kind {
		case Wait, Try:
			from, known := s.since[r.Lock]
			if !known {
				from = s.begun
			}
			j.idle[r.Who] = append(j.idle[r.Who], idle{r.Lock, Moment{from, r.At.From}})
			s.lock = r.Lock
		case Gave, Left:
			s.since[r.Lock], s.lock = r.At.To, ""
		}
	}
	for who, s := range states {
		for lock, from := range s.since {
			if lock != s.lock {
				j.idle[who] = append(j.idle[who], idle{lock, Moment{from, s.last}})
			}
		}
	}
}

// judgeStrays looks for stamps of processes that live and have nothing to do with the lock any more. They have to be
// removed as soon as that can be done: by those who ask on the same host their owner is taken for a holder.
func (j *judge) judgeStrays() {
	j.idles()
	for _, l := range j.lives {
		who, owner, known := j.owner(l)
		if !known || len(l.signs) == 0 {
			continue
		}
		there := Moment{l.signs[0].at.To, j.End}
		if l.gone {
			there.To = l.removed.From
		}
		if owner.Died {
			there.To = min(there.To, owner.Death.From)
		}
		for _, i := range j.idle[who] {
			if i.lock != l.lock {
				continue
			}
			span := Moment{max(i.span.From, there.From), min(i.span.To, there.To)}
			for _, able := range j.able(&wait{who, l.lock, i.span}, span) {
				if able.To-able.From > j.Settings.Stale+j.Settings.Slack {
					j.fault(RuleStray, able.To, l.lock, fmt.Sprintf("%s has had nothing to do with it since %.3fs, and could have removed it since %.3fs; %v",
						who, i.span.From.Seconds(), able.From.Seconds(), l))
				}
			}
		}
	}
}
