package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/dirlock"
)

// object is what "status --json" prints. Fields may be added; those that are there keep their meaning as long as Version
// stays the same.
type object struct {
	Version int           `json:"version"`
	Path    string        `json:"path"`
	State   dirlock.State `json:"state"`
	Vacant  bool          `json:"vacant"`
	Holder  *holder       `json:"holder"`
	Age     *float64      `json:"heartbeat_age_seconds"`
	Verdict string        `json:"verdict"`
	Reason  string        `json:"reason"`
	Entries []string      `json:"entries"`
	Place   *place        `json:"place"`
}

type place struct {
	Visibility string `json:"visibility"`
	Evidence   string `json:"evidence"`
}

type holder struct {
	Token     string     `json:"token"`
	PID       int        `json:"pid"`
	Host      string     `json:"host"`
	Boot      string     `json:"boot"`
	PIDNS     uint64     `json:"pidns"`
	Since     *time.Time `json:"since"`
	Container string     `json:"container"`
	Program   string     `json:"program"`
	Note      string     `json:"note"`
}

func newObject(r dirlock.Report) object {
	o := object{
		Version: 1,
		Path:    r.Path,
		State:   r.State,
		Vacant:  r.Vacant,
		Verdict: verdict(r),
		Reason:  r.Reason,
		Entries: append([]string{}, r.Entries...), // never null
	}
	if inContainer(r.Place) {
		o.Place = &place{r.Place.Visibility.String(), r.Place.Evidence}
	}
	if r.AgeKnown {
		o.Age = new(r.HeartbeatAge.Seconds())
	}
	if h := r.Holder; h != nil {
		o.Holder = &holder{
			Token: h.Token, PID: h.PID, Host: h.Host, Boot: h.Boot, PIDNS: h.PIDNS,
			Container: h.Container, Program: h.Program, Note: h.Note,
		}
		if !h.Since.IsZero() {
			o.Holder.Since = new(h.Since.UTC())
		}
	}
	return o
}

// verdict is a word for what one look decides.
func verdict(r dirlock.Report) string {
	switch {
	case r.State == dirlock.StateFree, r.State == dirlock.StateNotALock:
		return "none"
	case r.Verdict.Takeover:
		return "takeover"
	default:
		return "wait"
	}
}

// describe is the report for people. What others wrote is quoted: it may hold anything that a terminal would obey.
func describe(r dirlock.Report) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	quoted := func(name, value string) {
		if value != "" {
			line(name, "%q", value)
		}
	}
	line("path", "%s", r.Path)
	line("state", "%s", r.State)
	line("reason", "%s", r.Reason)
	if h := r.Holder; h != nil {
		if h.PID != 0 {
			line("holder", "pid %d on host %q", h.PID, h.Host)
		}
		quoted("program", h.Program)
		quoted("note", h.Note)
		quoted("container", h.Container)
		if !h.Since.IsZero() {
			line("since", "%s", h.Since.UTC().Format(time.RFC3339))
		}
		line("token", "%s", quoteOdd(h.Token))
	}
	switch {
	case r.AgeKnown && r.Holder != nil:
		line("heartbeat", "%v ago by this host's clock", r.HeartbeatAge.Round(time.Millisecond))
	case r.AgeKnown:
		line("age", "%v by this host's clock", r.HeartbeatAge.Round(time.Millisecond))
	}
	for _, e := range r.Entries {
		line("also there", "%q", e)
	}
	if inContainer(r.Place) {
		line("place", "%s", r.Place)
	}
	if r.Place.Visibility.Private() {
		line("warning", "only processes in this container see this lock")
	}
	w.Flush()
	return b.String()
}

// inContainer reports whether there is anything to say of where the lock lies.
func inContainer(p container.Place) bool {
	return p != (container.Place{}) && p.Visibility != container.Machine
}

// quoteOdd quotes a name only if it is not a plain one.
func quoteOdd(name string) string {
	if q := fmt.Sprintf("%q", name); q != `"`+name+`"` {
		return q
	}
	return name
}
