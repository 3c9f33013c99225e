package chaos

import (
	"fmt"
	"strings"
	"time"
)

// A life is what the server saw of one stamp.
type life struct {
	lock, token string
	name        string // of the file, where it is known
	signs       []sign // its creation and its beats, in their order
	removed     Moment
	gone        bool
}

// A sign is a beat, or the creation.
type sign struct {
	at Moment

	// maybe: nobody watched. There was a last sign at some time in the moment, or none at all.
	maybe bool
}

// A bare is a lock's directory without a stamp in it, and without a change.
type bare struct {
	lock string
	span Moment // from the last change, as late as it may have been, to the next, as early as that may have been
}

// lastBy is the latest time that the last sign before t may have had.
func (l *life) lastBy(t time.Duration) (last time.Duration, ok bool) {
	for _, s := range l.signs {
		if s.at.From <= t {
			last, ok = max(last, min(s.at.To, t)), true
		}
	}
	return last, ok
}

// silentBy is the longest that the owner may have been silent until t.
func (l *life) silentBy(t time.Duration) time.Duration {
	var longest, from time.Duration
	for i, s := range l.signs {
		if s.maybe {
			continue
		}
		if s.at.From > t {
			break
		}
		if i > 0 {
			longest = max(longest, s.at.To-from)
		}
		from = s.at.From
	}
	return max(longest, t-from)
}

// stamps sorts what the watch saw.
func (j *judge) stamps() {
	j.byID = map[string]*life{}
	type place struct {
		there   bool
		stamps  map[string]*life
		changed time.Duration // the last change, as late as it may have been
	}
	places := map[string]*place{}
	var blind time.Duration // since when nobody watched
	var met map[string]bool // since Begin; nil after Ready
	watched := time.Duration(0)
	at := func(lock string) *place {
		p := places[lock]
		if p == nil {
			p = &place{stamps: map[string]*life{}}
			places[lock] = p
		}
		return p
	}
	idle := func(lock string, p *place, until time.Duration) {
		if p.there && len(p.stamps) == 0 && until > p.changed {
			j.bare = append(j.bare, bare{lock, Moment{p.changed, until}})
		}
	}
	for _, r := range j.Watch {
		p := at(r.Lock)
		if r.Kind != Begin && r.Kind != Ready {
			idle(r.Lock, p, r.At.From)
			p.changed = r.At.To
		}
		switch r.Kind {
		case Begin:
			blind, met = watched, map[string]bool{}
		case Made:
			p.there = true
		case Gone:
			p.there = false // its stamps' removals are told of one by one, maybe later, if it was made anew meanwhile
		case There, Create:
			p.there = true
			if met != nil {
				met[r.Lock+" "+r.Token] = true
			}
			if r.Token == "" {
				continue
			}
			l := j.byID[r.Token]
			if l == nil {
				l = &life{lock: r.Lock, token: r.Token, name: r.Text}
				j.byID[r.Token] = l
				j.lives = append(j.lives, l)
			}
			p.stamps[r.Token] = l
			if r.Kind == Create {
				l.signs = append(l.signs, sign{at: r.At})
			} else {
				l.signs = append(l.signs, j.unseen(blind, r.At.To)...)
			}
		case Beat:
			if l := p.stamps[r.Token]; l != nil {
				l.signs = append(l.signs, sign{at: r.At})
			}
		case Remove:
			if l := j.byID[r.Token]; l != nil {
				l.removed, l.gone = r.At, true
				delete(p.stamps, r.Token)
			}
		case Ready:
			for lock, p := range places {
				if p.there && !met[lock+" "] {
					p.there = false
				}
				for token, l := range p.stamps {
					if !met[lock+" "+token] {
						l.signs = append(l.signs, j.unseen(blind, r.At.To)...)
						l.removed, l.gone = Moment{blind, r.At.To}, true
						delete(p.stamps, token)
					}
				}
			}
			met = nil
		}
		watched = r.At.To
	}
	for lock, p := range places {
		idle(lock, p, j.End)
	}
}

// unseen are the signs that there may have been while nobody watched: at any time, but not while the server had no power.
func (j *judge) unseen(from, to time.Duration) (signs []sign) {
	for _, o := range j.Outages {
		if o.From >= from && o.From < to {
			signs = append(signs, sign{Moment{from, o.From}, true})
			from = min(o.To, to)
		}
	}
	return append(signs, sign{Moment{from, to}, true})
}

func (l *life) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "stamp %s:", l.token)
	const most = 4
	signs := l.signs
	if len(signs) > most {
		fmt.Fprintf(&text, " %v, ... (%d more),", signs[0].at, len(signs)-most)
		signs = signs[len(signs)-most+1:]
	}
	for _, s := range signs {
		fmt.Fprintf(&text, " %v", s.at)
		if s.maybe {
			text.WriteString("?")
		}
	}
	if l.gone {
		fmt.Fprintf(&text, ", removed %v", l.removed)
	}
	return text.String()
}
