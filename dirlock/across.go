package dirlock

import (
	"io"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// acrossEvery is how often all processes are looked through for one owner at most.
const acrossEvery = time.Second

// across finds out what this kernel says of an owner in another pid namespace, as w.said: by its guard, or else by looking for it among all
// processes. What it returns, if the owner is dead by its guard, keeps that so, and is to be closed after the unlink. It is unsure if it
// takes the open directory, and there is none.
//
// The guard is tried when a beat is overdue; and once before, to know that it is there. Not while the stamp is young: who has just made it
// had better get its guard.
func (a *acquisition) across(w *watch, dir fsys.Dir, e entry, beat stamp.Beat) (proof io.Closer, unsure bool) {
	interval, _ := e.stamp.Bounds()
	silent := max(beat.Age, beat.Unchanged)
	if w.said.Answer == stamp.Dead { // by a guard that was closed again: that is no proof any more
		w.said = stamp.Evidence{}
	}
	if a.provable(e.stamp) && (silent >= interval || !w.guarded && w.sent-w.first >= interval/2) {
		if dir == nil {
			return nil, true
		}
		if w.said, proof = w.probe(dir, e.name); proof != nil {
			return proof, false
		}
	}
	if now := a.Clock.Mono(); silent >= 3*interval && (w.looked == 0 || now-w.looked >= acrossEvery) {
		w.looked = now
		w.table = w.twice(a, e.stamp, a.AskAcross(a.self, e.stamp))
	}
	if w.table.Answer == stamp.Dead || w.said.How == "" {
		w.said = w.table
	}
	return nil, false
}

// provable reports whether the guard can tell of the death of an owner about whose pid this kernel cannot be asked here. That the stamp names
// a process group means that there may be others yet, who have no part in the guard.
func (a *acquisition) provable(s stamp.Stamp) bool {
	return a.traits.Guards && s.Guarded() && s.Known() && s.Group == 0 && a.self.Across(s)
}

// probe tries the guard of an owner.
func (w *watch) probe(dir fsys.Dir, name string) (said stamp.Evidence, proof io.Closer) {
	proof, err := dir.Probe(name)
	switch {
	case err == nil:
		return stamp.Evidence{Answer: stamp.Dead, How: "the lock on its stamp was dropped"}, proof
	case fsys.Is(err, fsys.Busy):
		w.guarded = true
		return stamp.Evidence{How: "its stamp is locked"}, nil
	}
	return stamp.Evidence{How: "the lock on its stamp cannot be asked for: " + err.Error()}, nil
}
