package dirlock

import (
	"bytes"
	"encoding/hex"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A draft is the content of the stamp that a waiter will need, ready before the lock is free, so that it does not have to be thought of when
// everybody waits for just that. It has no number yet: a machine may be copied while it sleeps, and copies must not stamp alike.
type draft struct {
	stamp  stamp.Stamp // without its number
	around [4][]byte   // what stands around the number, twice, and the date
}

// undated stands in a draft's content for the date of the acquisition. No date that takes its place is longer.
var undated = time.Date(1970, 1, 1, 0, 0, 0, int(111*time.Millisecond), time.UTC)

// prepare has a draft made.
func (a *acquisition) prepare() {
	if a.draft != nil || !a.looked {
		return
	}
	s := a.newStamp(a.traits, false)
	s.UUID = uuid.Nil
	d := &draft{stamp: s}
	rest, ok := a.contentAt(s, s.Name(), undated), true
	for i, blank := range [][]byte{inName(s.UUID), inContent(s.UUID), dated(undated)} {
		if d.around[i], rest, ok = bytes.Cut(rest, blank); !ok {
			return
		}
	}
	d.around[3] = rest
	a.draft = d
}

// stampFor returns a token that was never used before, and its content, be that ready or not.
func (a *acquisition) stampFor(traits fsys.Traits, guarded bool) (s stamp.Stamp, content func() []byte) {
	s = a.newStamp(traits, guarded)
	return s, func() []byte {
		if now := a.since(); a.draft.is(s) && now.Year() >= 0 && now.Year() <= 9999 { // the content leaves out other years
			return a.draft.fill(s.UUID, now)
		}
		return a.content(s, s.Name())
	}
}

// is reports whether it is a draft of s.
func (d *draft) is(s stamp.Stamp) bool {
	s.UUID = uuid.Nil
	return d != nil && d.stamp == s
}

func (d *draft) fill(id uuid.UUID, now time.Time) []byte {
	a := &d.around
	return slices.Concat(a[0], inName(id), a[1], inContent(id), a[2], dated(now), a[3])
}

// inName is a number as a stamp's name has it. In the content only the version stands before it.
func inName(id uuid.UUID) []byte { return hex.AppendEncode(nil, id[:]) }

// inContent is a number as the content has it besides, with what makes it unmistakable: no quotation mark stands in a JSON string
// without a backslash.
func inContent(id uuid.UUID) []byte { return []byte(`,"uuid":"` + id.String() + `"`) }

// dated is a date as the content writes it, unmistakable too.
func dated(t time.Time) []byte {
	return t.AppendFormat([]byte(`,"since":"`), time.RFC3339Nano+`"`)
}
