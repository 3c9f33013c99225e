package heartbeat

import (
	"container/list"
	"errors"
	"io/fs"
	"time"
)

// maxWorkers is how many calls may be stuck in one group. More would not get through a mount that hangs; fewer would
// make one directory's trouble everybody's.
const maxWorkers = 4

// A group is the beats of one mount that are ready to be sent, and the workers that send them. It exists while it has a
// worker, and a ready beat has one.
type group struct {
	ready   list.List // of *Beat, in the order in which they fell due
	workers int
}

// enqueue makes b ready and sees to it that there are workers. The caller holds mu.
func (s *Scheduler) enqueue(b *Beat) {
	g := s.groups[b.group]
	if g == nil {
		g = &group{}
		s.groups[b.group] = g
	}
	b.waiting = g.ready.PushBack(b)
	if g.workers < maxWorkers {
		g.workers++
		go s.work(b.group, g)
	}
}

// dequeue takes b out of its group's line, if it is there. The caller holds mu.
func (s *Scheduler) dequeue(b *Beat) {
	if b.waiting != nil {
		s.groups[b.group].ready.Remove(b.waiting)
		b.waiting = nil
	}
}

// A sending is one beat under way.
type sending struct {
	at    time.Duration // Clock.Boot before it was sent
	slept time.Duration // the account of sleep then
}

// work sends ready beats until there are none.
func (s *Scheduler) work(name string, g *group) {
	for {
		b, out := s.take(name, g)
		if b == nil {
			return
		}
		if b.unread() {
			if mtime, err := b.target.Mtime(); !b.expect(out, mtime, err) {
				continue
			}
		}
		if b.read(out, b.target.Touch()) {
			mtime, err := b.target.Mtime()
			b.compare(out, mtime, err)
		}
	}
}

// take takes the next ready beat off the line, or the worker out of its group.
func (s *Scheduler) take(name string, g *group) (*Beat, sending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for e := g.ready.Front(); e != nil; e = g.ready.Front() {
		b := g.ready.Remove(e).(*Beat)
		b.waiting = nil
		// After a pause the worker may be here before the watchdog. A lapsed name is never beaten: a thief may have judged
		// it. To tell about it is the watchdog's part, who knows why.
		if !b.lease.lapsed(now) {
			return b, sending{now, s.slept}
		}
	}
	if g.workers--; g.workers == 0 {
		delete(s.groups, name)
	}
	return nil, sending{}
}

// unread reports whether it is not known what time the first beat must move. It is read just before that beat and not by
// Start, so that a lock that is held for a moment does not pay for it.
func (b *Beat) unread() bool {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	return b.pulse.last.IsZero()
}

// expect takes in the time that the beat must move, and reports whether the beat may be sent.
func (b *Beat) expect(out sending, mtime time.Time, err error) bool {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	switch {
	case b.ended:
		return false
	case err != nil:
		b.settle(out, err, false)
		return false
	}
	b.pulse.last = mtime
	return !b.lease.lapsed(b.s.now()) // else it is for the watchdog
}

// read takes in the outcome of a touch, and reports whether the modification time must be read back before it counts.
func (b *Beat) read(out sending, err error) bool {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	switch {
	case b.ended:
		return false
	case err == nil && b.pulse.due(out.at, b.set.readBack()):
		return true
	}
	b.settle(out, err, err == nil)
	return false
}

// compare takes in a read-back.
func (b *Beat) compare(out sending, mtime time.Time, err error) {
	b.s.mu.Lock()
	defer b.s.mu.Unlock()
	switch {
	case b.ended:
	case err != nil:
		b.settle(out, err, false) // and the next beat is read back, which is as due as this one was
	default:
		b.settle(out, nil, b.pulse.read(mtime, out.at))
	}
}

// settle draws the conclusions from a beat: it ends the lock, or counts or does not, and is followed by the next one. The caller
// holds mu and has seen that b had not ended.
func (b *Beat) settle(out sending, err error, counts bool) {
	if errors.Is(err, ErrGone) || errors.Is(err, fs.ErrNotExist) {
		b.vanish()
		return
	}
	s := b.s
	now := s.now()
	if b.lease.lapsed(now) {
		return // for the watchdog; nothing is counted, and nothing sent any more
	}
	switch {
	case err != nil:
		b.fail(err)
	case counts:
		b.failing = false
		if b.lease.renew(out.at, now) {
			b.slept = out.slept
		}
	case now-b.lease.from > b.lease.length/2:
		b.fail(ErrStill) // sooner, a coarse clock would be enough
	}
	// By the beat's start, not by its end: a slow file system does not make beats rarer. After one that hung for long the next is due at once.
	b.due = s.beats.after(b.next(max(out.at, b.due))) // it may have been sent before it was due
	s.due.add(b)
	s.armBeats(now)
}
