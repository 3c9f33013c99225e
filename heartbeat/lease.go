package heartbeat

import "time"

// A lease is how long a holder may believe its own beats. Times are Clock.Boot's.
type lease struct {
	from   time.Duration // before the last beat that counted was sent
	length time.Duration
}

func (l lease) end() time.Duration { return l.from + l.length }

func (l lease) lapsed(now time.Duration) bool { return now >= l.end() }

// renew counts a beat that was sent at the given time and has been answered by now, and reports whether it did. A lease
// that has lapsed by now is not renewed, however early the beat was sent: somebody may have judged the name already.
func (l *lease) renew(sent, now time.Duration) bool {
	if l.lapsed(now) {
		return false
	}
	l.from = max(l.from, sent)
	return true
}

// A pulse decides whether beats count, from the modification times read back after some of them. The first beat is
// always read back; last is the time that it must move, zero until that is known.
type pulse struct {
	last   time.Time
	readAt time.Duration // when the beat was sent after which last was read
	moving bool          // it had moved then
}

// due reports whether the beat sent then needs a read-back before it counts.
func (p *pulse) due(sent, every time.Duration) bool {
	return !p.moving || sent-p.readAt >= every
}

// read takes in a read-back after the beat sent then, and reports whether beats count. Any change is movement, a step
// back too: clocks do that, and others count it as movement as well.
func (p *pulse) read(mtime time.Time, sent time.Duration) bool {
	p.moving = !mtime.Equal(p.last)
	p.last, p.readAt = mtime, sent
	return p.moving
}
