package heartbeat

import (
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// maxDrift is how far the file system's clock and ours may move against each other within one window. More means that
// one of them was stepped, or that this host slept, and then neither an age nor a silence is what it seems.
const maxDrift = time.Second

// Sample is one look at the modification time of a name. Durations are readings of Clock.Mono.
type Sample struct {
	Sent     time.Duration // before the look was sent
	Answered time.Duration // when its answer was there
	Mtime    time.Time
	Err      error // why there is no Mtime

	// FSNow is the file system's own clock, if HasFSNow. It must have been read before the look was sent, and counts only
	// if beats carry that clock, on the holder's mount and on this one: the caller sets HasFSNow only then.
	FSNow    time.Time
	HasFSNow bool
	FSNowAt  time.Duration // when the reading was answered; not after Sent, else the reading is ignored
}

// Observer says how old the heartbeat of one name is, from looks at it. The zero value has seen nothing. It is not safe for
// concurrent use, and is for one name: looks at another one need another Observer.
//
// Looks form a window, in which the name was seen unchanged without a break. It begins anew at every look that fails, finds another
// modification time (a step back is a change too), is answered too long after the previous one, or shows that the file
// system's clock and ours have drifted apart by a second since any other look of the window.
type Observer struct {
	open     bool // there is a window
	err      error
	mtime    time.Time
	from     time.Duration // when the first look of the window was answered
	sent     time.Duration // of the last look
	answered time.Duration

	age      time.Duration // as of the last look
	ageKnown bool

	probed      bool          // a look of the window carries the file system's clock
	probeAge    time.Duration // the age that the last such look found; negative: a future mtime, which is no age
	probeAt     time.Duration // when its reading was answered
	base        time.Time     // the file system's time at our zero, by the first such look
	least, most time.Duration // how the others differed from that
}

// Add takes in a look. maxGap is how long after the previous one's answer its own may come for the window to
// go on: a beat and a poll. Nobody knows when in between a server looked, and if it was slow, and its clock was stepped back, a later
// heartbeat may carry the time of an earlier one. Looks are added in the order in which they were sent.
func (o *Observer) Add(s Sample, maxGap time.Duration) {
	if s.Err != nil {
		*o = Observer{err: s.Err}
		return
	}
	if !o.open || !s.Mtime.Equal(o.mtime) || s.Answered-o.answered > maxGap {
		o.begin(s)
	}
	probed := s.HasFSNow && s.FSNowAt <= s.Sent
	if probed && !o.probe(s) {
		o.begin(s)
		o.probe(s)
	}
	o.sent, o.answered = s.Sent, s.Answered
	switch {
	case probed:
		o.age, o.ageKnown = o.probeAge, o.probeAge >= 0
	case o.probed:
		// Unchanged since an earlier probe of this window, so older by what has passed on our clock.
		o.age, o.ageKnown = o.probeAge+s.Sent-o.probeAt, o.probeAge >= 0
	}
}

// begin opens a window with the look s.
func (o *Observer) begin(s Sample) {
	*o = Observer{open: true, mtime: s.Mtime, from: s.Answered}
}

// probe takes in the file system's clock, and reports whether it still runs along with ours.
func (o *Observer) probe(s Sample) bool {
	now := s.FSNow.Round(0) // a monotonic reading would be this host's
	if !o.probed {
		o.probed, o.base = true, now.Add(-s.FSNowAt)
	}
	off := now.Sub(o.base) - s.FSNowAt
	o.least, o.most = min(o.least, off), max(o.most, off)
	o.probeAge, o.probeAt = now.Sub(s.Mtime), s.FSNowAt
	return o.most-o.least < maxDrift
}

// Beat is what may be said of the heartbeat as of the last look: for how long it was certainly unchanged, from the
// answer of the window's first look to the sending of its last; and its age where a look of the window carries
// the file system's clock. After a look that failed it is only the error.
func (o *Observer) Beat() stamp.Beat {
	if !o.open {
		return stamp.Beat{Err: o.err}
	}
	b := stamp.Beat{Unchanged: max(0, o.sent-o.from)}
	if o.ageKnown {
		b.Age, b.AgeKnown = o.age, true
	}
	return b
}
