package dirlock

import (
	"time"

	"github.com/aac6cccc/mkdirlock/heartbeat"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A watch is what one acquisition has observed of one stamp, or of the directory itself.
type watch struct {
	observer heartbeat.Observer
	mtime    time.Time      // of the last look that succeeded
	since    time.Duration  // Mono of the answer of the first look that found it; before our time, if a note says so
	sent     time.Duration  // Mono of the last look
	first    time.Duration  // and of the first
	looked   time.Duration  // Mono of the last look for the owner through all processes; 0: none
	table    stamp.Evidence // what came of it
	guarded  bool           // its guard was seen to be there
	moved    bool           // a look has found another mtime than one before
	said     stamp.Evidence // what the kernel said of the owner when it was asked last
	zombies  time.Duration  // Mono of the first scan that found nothing but zombies in the owner's group; 0: none
}

func (a *acquisition) watch(name string) *watch {
	w := a.watched[name]
	if w == nil {
		w = a.recall(name)
		a.watched[name] = w
	}
	return w
}

func (a *acquisition) forget(name string) {
	delete(a.watched, name)
	a.notes.drop(name)
}

// add puts one look on record.
func (w *watch) add(a *acquisition, sent, answered time.Duration, mtime time.Time, err error, clock clockReading, e entry) {
	beat, _ := a.longer(e.stamp)
	sample := heartbeat.Sample{Sent: sent, Answered: answered, Mtime: mtime, Err: err}
	if clock.ok && a.clocked(e) {
		sample.HasFSNow, sample.FSNow, sample.FSNowAt = true, clock.now, clock.at
	}
	w.observer.Add(sample, beat+a.set.poll)
	if err == nil && (w.sent == 0 || !mtime.Equal(w.mtime)) {
		w.moved = w.moved || w.sent != 0
		w.mtime, w.since = mtime, answered
	}
	w.sent = sent
	if w.first == 0 {
		w.first = sent
	}
}

// Beat is what may be said of the heartbeat. Its age is the file system's, where that is known, or at least the time since
// this mtime was first seen, here or by somebody who left a note: no heartbeat came in between, though nobody looked all the
// time. That time alone decides nothing; the window in which the watching went on without a break has to confirm it.
func (w *watch) Beat() stamp.Beat {
	b := w.observer.Beat()
	if seen := w.sent - w.since; b.Err == nil && seen > 0 && (!b.AgeKnown || seen > b.Age) {
		b.Age, b.AgeKnown = seen, true
	}
	return b
}

// ask puts the question to the kernel. That a process group consists of zombies only must be seen twice, a beat apart: one
// scan can miss a member that forks while it runs.
func (w *watch) ask(a *acquisition, s stamp.Stamp) stamp.Evidence {
	return w.twice(a, s, a.Ask(a.self, s))
}

// twice takes in an answer, and makes it Dead if it has said for a beat that only zombies are left.
func (w *watch) twice(a *acquisition, s stamp.Stamp, ev stamp.Evidence) stamp.Evidence {
	now := a.Clock.Mono()
	switch {
	case !ev.Zombies:
		w.zombies = 0
	case w.zombies == 0:
		w.zombies = now
	default:
		if beat, _ := s.Bounds(); now-w.zombies >= beat {
			ev.Answer = stamp.Dead
		}
	}
	return ev
}

// A clockReading is the file system's own time, and when on our own clock it was read.
type clockReading struct {
	ok  bool
	now time.Time
	at  time.Duration // Mono
}

// readClock reads the file system's clock, where heartbeats carry one. Where that takes writing (a probe beside the lock)
// it is not done for a brief contention, nor while beats come, and once a heartbeat at most; force asks all the same.
func (a *acquisition) readClock(force bool) clockReading {
	if a.traits.Beats != fsys.ClockFS {
		return clockReading{}
	}
	if now := a.Clock.Mono(); !a.traits.Local && !force && !a.set.try {
		if now-a.started < a.set.Heartbeat || a.clockAt != 0 && now-a.clockAt < a.set.Heartbeat || a.stirs(now) {
			return clockReading{}
		}
	}
	t, err := a.FS.Clock(a.path+auxSuffix, a.traits)
	at := a.Clock.Mono()
	if !a.traits.Local {
		a.clockAt = at
	}
	if err != nil {
		return clockReading{} // then only what is watched counts
	}
	return clockReading{true, t, at}
}

// sweepAux removes what probes and notes left beside the lock.
func (a *acquisition) sweepAux() {
	a.sweepNotes()
	a.notes.used = false
	if a.clockAt != 0 {
		_ = fsys.SweepAux(a.FS, a.path+auxSuffix)
		a.clockAt = 0
	}
}

// stirs reports whether everything that is watched shows signs of life as often as it should: nobody asks how old they are then.
func (a *acquisition) stirs(now time.Duration) bool {
	for _, w := range a.watched {
		quiet := a.set.Heartbeat * 3 / 2
		if w.moved { // for so long before it was seen it may have come
			quiet += a.set.poll
		}
		if w.mtime.IsZero() || now-w.since >= quiet {
			return false
		}
	}
	return len(a.watched) > 0
}
