package chaos

import (
	"slices"
	"time"
)

// A hold is one process' having a lock, from the answer of Acquire to the last time that it claimed to have it.
type hold struct {
	who, lock string
	claims    []Record // Enter, Alive, Checked
	ended     *Record  // Lost or Leave; nil if it was killed before
}

func (h *hold) first() Record { return h.claims[0] }

// enteredBy is when it surely was inside.
func (h *hold) enteredBy() time.Duration { return h.claims[0].At.To }

// claimedUntil is the last time at which it surely claimed to be inside.
func (h *hold) claimedUntil() time.Duration {
	last := h.enteredBy()
	for _, c := range h.claims {
		last = max(last, c.At.From)
	}
	return last
}

// tokenAt is the stamp by which it had the lock then.
func (h *hold) tokenAt(t time.Duration) string {
	token := h.claims[0].Token
	for _, c := range h.claims {
		if c.At.From <= t {
			token = c.Token
		}
	}
	return token
}

// A wait is one call of Acquire.
type wait struct {
	who, lock string
	span      Moment // from after its begin to before its end; both are sure
}

// holds sorts the workers' records into holds, waits and stalls.
func (j *judge) holds() {
	j.stalls, j.reach = map[string][]Moment{}, map[string][]Moment{}
	type state struct {
		inside *hold
		asked  *wait
		last   time.Duration
		seen   bool
	}
	states := map[string]*state{}
	for _, r := range j.Records {
		s := states[r.Who]
		if s == nil {
			s = &state{}
			states[r.Who] = s
		}
		if r.Kind == Reached {
			host := j.Procs[r.Who].Host
			j.reach[host] = append(j.reach[host], r.At)
			continue
		}
		if s.seen && r.At.To-s.last >= j.Settings.Nap() {
			j.stalls[r.Who] = append(j.stalls[r.Who], Moment{s.last, r.At.To})
		}
		s.last, s.seen = r.At.To, true
		switch r.Kind {
		case Wait:
			s.asked = &wait{r.Who, r.Lock, Moment{r.At.To, r.At.To}}
			j.waits = append(j.waits, s.asked)
		case Gave:
			s.asked = nil
		case Enter:
			s.asked = nil
			s.inside = &hold{who: r.Who, lock: r.Lock, claims: []Record{r}}
			j.held = append(j.held, s.inside)
			j.report.Entered++
		case Alive, Checked:
			if s.inside != nil {
				s.inside.claims = append(s.inside.claims, r)
			}
		case Lost, Leave:
			if s.inside != nil {
				s.inside.ended = &r
				s.inside = nil
			}
			if r.Kind == Lost {
				j.report.Lost++
			}
		}
		if s.asked != nil {
			s.asked.span.To = r.At.From // it still waits: each record says that it runs
		}
	}
	for _, answers := range j.reach {
		slices.SortFunc(answers, func(a, b Moment) int { return int(a.To - b.To) })
	}
}

// wokeBefore returns the end of the last pause of a process that was over by t, but not by since, if there was one.
func (j *judge) wokeBefore(who string, since, t time.Duration) (woke time.Duration, ok bool) {
	for _, s := range j.stalls[who] {
		if s.To > since && s.To <= t {
			woke, ok = max(woke, s.To), true
		}
	}
	return woke, ok
}
