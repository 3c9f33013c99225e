package dirlock

import (
	"bytes"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A draft is a stamp that a waiter has ready before the lock is free, so that it does not have to be thought of when everybody waits for
// just that. It is good for one try.
type draft struct {
	stamp         stamp.Stamp
	beats         fsys.ClockSource
	before, after []byte // of its content: what stands around the date
}

// undated stands in a draft's content for the date of the acquisition. No date that takes its place is longer.
var undated = time.Date(1970, 1, 1, 0, 0, 0, int(111*time.Millisecond), time.UTC)

// prepare has a draft made.
func (a *acquisition) prepare() {
	if a.draft != nil || !a.looked {
		return
	}
	s := a.newStamp(a.traits)
	text := a.contentAt(s, s.Name(), undated)
	if before, after, ok := bytes.Cut(text, dated(undated)); ok {
		a.draft = &draft{s, a.traits.Beats, before, after}
	}
}

// stampFor returns a token that was never used before, and its content, ready or not.
func (a *acquisition) stampFor(traits fsys.Traits) (s stamp.Stamp, content func() []byte) {
	d := a.draft
	a.draft = nil
	if d == nil || d.beats != traits.Beats {
		s = a.newStamp(traits)
		return s, func() []byte { return a.content(s, s.Name()) }
	}
	return d.stamp, func() []byte {
		now := a.since()
		if now.Year() < 0 || now.Year() > 9999 { // which the content leaves out
			return a.content(d.stamp, d.stamp.Name())
		}
		return bytes.Join([][]byte{d.before, d.after}, dated(now))
	}
}

// dated is a date as the content writes it, with what makes it unmistakable: no quotation mark stands in a JSON string without a backslash.
func dated(t time.Time) []byte {
	return t.AppendFormat([]byte(`,"since":"`), time.RFC3339Nano+`"`)
}
