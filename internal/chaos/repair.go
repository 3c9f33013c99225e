package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// judgeRepairs looks for silences that lasted for longer than it may take to replace an owner, while somebody waited who could:
// whose process ran, and whose host had answers from the server.
func (j *judge) judgeRepairs() {
	for _, l := range j.lives {
		for i, s := range l.signs {
			end := j.End
			if i+1 < len(l.signs) {
				end = l.signs[i+1].at.From
			} else if l.gone {
				end = l.removed.From
			}
			j.silence(l.lock, Moment{s.at.To, end}, l)
		}
	}
	for _, b := range j.bare {
		j.silence(b.lock, b.span, nil)
	}
}

// silence judges one, of the owner of a stamp, or of nobody if that is nil.
func (j *judge) silence(lock string, span Moment, l *life) {
	if span.To-span.From < 3*j.Settings.Heartbeat {
		return
	}
	_, owner, known := j.owner(l)
	awaited := false
	for _, w := range j.waits {
		if w.lock != lock || w.span.To <= span.From || w.span.From >= span.To {
			continue
		}
		waiter := j.Procs[w.who]
		same := known && owner.Host == waiter.Host && owner.Kernel == waiter.Kernel
		if same && !owner.Died {
			continue // the kernel says that it lives
		}
		for _, able := range j.able(w, Moment{max(w.span.From, span.From), min(w.span.To, span.To)}) {
			kind, due := "another host", j.dueForeign(span.From, able)
			if same {
				kind, due = "same kernel", j.dueSame(span.From, owner, able)
			}
			if l == nil {
				kind = "no stamp"
			}
			if able.To >= due-j.Settings.Poll-j.Settings.Heartbeat { // a takeover was possible, or about to be
				awaited = true
			}
			if late := able.To - due; late > j.report.Latest[kind] {
				j.report.Latest[kind] = late
			}
			if able.To > due+j.Settings.Anew+j.Settings.Slack {
				what := "a directory without a stamp"
				if l != nil {
					what = l.String()
				}
				j.fault(RuleRepair, able.To, lock, fmt.Sprintf("no sign since %.3fs; %s (%s) could have taken over by %.3fs, and still waited at %.3fs; %s",
					span.From.Seconds(), w.who, kind, due.Seconds(), able.To.Seconds(), what))
				return
			}
		}
	}
	if awaited {
		j.report.Awaited++
	}
}

// dueForeign is when the mtime rule lets a waiter take over that was able to since able.From, from one who is silent since then.
func (j *judge) dueForeign(silent time.Duration, able Moment) time.Duration {
	if j.Settings.ServerClock && !j.stepped(silent, able.To) {
		return max(silent+j.Settings.Stale, able.From+j.Settings.Confirm()) + j.Settings.Poll
	}
	return max(silent, able.From) + j.Settings.Stale + j.Settings.Poll
}

// dueSame is when three missed beats let a waiter of the same kernel take over from one that has died.
func (j *judge) dueSame(silent time.Duration, owner Proc, able Moment) time.Duration {
	missed := silent + 3*j.Settings.Heartbeat
	if !j.Settings.ServerClock || j.stepped(silent, able.To) {
		missed = max(missed, able.From+3*j.Settings.Heartbeat)
	}
	return max(missed, owner.Death.To, able.From) + j.Settings.Poll
}

func (j *judge) stepped(from, to time.Duration) bool {
	for _, s := range j.Steps {
		if s.At.To >= from && s.At.From <= to {
			return true
		}
	}
	return false
}

// able gives the times within span in which a waiter could do something: without a pause of its process, with answers of
// the server to its host no further apart than a heartbeat, and no step of the server's date, at which all begin anew.
func (j *judge) able(w *wait, span Moment) (list []Moment) {
	var now Moment
	open := false
	end := func() {
		if open && now.To > now.From {
			list = append(list, now)
		}
		open = false
	}
	answers := j.reach[j.Procs[w.who].Host]
	first, _ := slices.BinarySearchFunc(answers, span.From, func(a Moment, t time.Duration) int { return cmp.Compare(a.To, t) })
	for _, a := range answers[first:] {
		if a.To > span.To {
			break
		}
		if open && (a.To-now.To > j.Settings.Heartbeat || j.stepped(now.To, a.To) || j.paused(w.who, now.To, a.To)) {
			end()
		}
		if !open {
			now, open = Moment{a.To, a.To}, true
		}
		now.To = a.To
	}
	end()
	return list
}

func (j *judge) paused(who string, from, to time.Duration) bool {
	for _, s := range j.stalls[who] {
		if s.To-s.From >= j.Settings.Heartbeat && s.To > from && s.From < to {
			return true
		}
	}
	return false
}

// owner is the process that a stamp names.
func (j *judge) owner(l *life) (who string, p Proc, known bool) {
	if l == nil {
		return "", Proc{}, false
	}
	f := strings.Split(l.name, ".") // version, uuid, pid, start, boot id, namespace, ...
	if len(f) < 6 {
		return "", Proc{}, false
	}
	id, kernel := f[2]+"."+f[3], f[4]+"."+f[5]
	for who, p := range j.Procs {
		if p.ID == id && p.Kernel == kernel {
			return who, p, true
		}
	}
	return "", Proc{}, false
}
