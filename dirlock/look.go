package dirlock

import (
	"fmt"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// look finds out who is in the directory. It evicts, by name, owners that are judged dead, and reports whether the
// directory is free to be stamped in place; if not, what is in the way. An error is one that waiting does not mend.
func (a *acquisition) look(dir fsys.Dir) (free bool, block obstacle, err error) {
	traits, err := dir.Traits()
	switch {
	case missing(err): // removed since it was opened
		return false, obstacle{}, again{err}
	case err != nil:
		return false, obstacle{problem: err}, nil
	}
	a.traits, a.looked = traits, true
	clock := a.readClock(false) // before the look that it is compared with is sent
	list, err := dir.List()
	switch {
	case missing(err): // removed since it was opened
		return false, obstacle{}, again{err}
	case err != nil:
		return false, obstacle{problem: err}, nil
	}
	found := sortEntries(list)
	a.forgetUnlisted(found)
	there, evicted := 0, false
	for _, e := range found.stamps {
		b, kind := a.judge(dir.Stat, dir, e, clock, found)
		switch kind {
		case vanished, foreign:
			continue
		case dead:
			if !e.ok && found.strangers() { // somebody's data, one of whose names happens to look like ours
				a.forget(e.name) // with the note about it
				return false, b, fmt.Errorf("%w: %s is a directory with other things in it (%q), and no stamp of a known format",
					ErrNotLock, a.set.path, found.foreign[0])
			}
			err := a.evict(dir, e, found)
			if b.proof != nil { // only now: what it proves is true as long as it is held
				_ = b.proof.Close()
			}
			if err != nil {
				b.problem = err
			} else {
				evicted = true
				a.logTakeover(b)
				continue
			}
		}
		there++
		if block.name == "" || block.verdict.Takeover {
			block = b
		}
	}
	switch {
	case there > 0:
		a.forget("") // it is not unstamped
		block.alone = len(found.stamps) == 1
		return false, block, nil
	case evicted, found.vacant:
		return true, obstacle{}, nil
	}
	return a.lookUnstamped(dir, found, clock)
}

// What became of a stamp that was listed.
type fate int

const (
	waiting  fate = iota // it is in the way
	dead                 // it may be evicted
	vanished             // it is not there any more
	foreign              // it is not a stamp: not a regular file
	unsure               // that takes a closer look
)

// judge looks at one stamp and gives the verdict on it. Without the open directory no guard is tried, and where one should be, the fate is
// unsure.
func (a *acquisition) judge(stat func(string) (fsys.Info, error), dir fsys.Dir, e entry, clock clockReading, found entries) (obstacle, fate) {
	o := obstacle{name: e.name, stamp: e.stamp, local: a.traits.Local}
	if a.isStray(a.path, e.name) { // ours, and nobody here holds it
		o.verdict = stamp.Verdict{Takeover: true, Reason: "a stamp that this process failed to remove"}
		return o, dead
	}
	w := a.watch(e.name)
	sent := a.Clock.Mono()
	info, err := stat(e.name)
	answered := a.Clock.Mono()
	switch {
	case fsys.Is(err, fsys.NotExist), err == nil && info.Nlink == 0:
		a.forget(e.name)
		return o, vanished
	case err == nil && info.Kind != fsys.KindRegular:
		return o, foreign
	}
	w.add(a, sent, answered, info.Mtime, err, clock, e)
	o.problem = err
	o.beat = w.Beat()
	if path, ok := a.owns(e.stamp.UUID); e.ok && ok {
		o.ours = path == a.path // else its release wakes others, and not those who wait here
		o.verdict = stamp.Verdict{Wait: -1, Reason: "held by this process"}
		return o, waiting
	}
	c := stamp.Case{
		Kind:      stamp.Corrupt,
		Beat:      o.beat,
		Heartbeat: a.set.Heartbeat,
		Stale:     a.set.Stale,
	}
	if e.ok {
		c.Kind, c.Stamp = stamp.Stamped, e.stamp
		c.SameHost, c.SameName = a.self.SameHost(e.stamp), a.self.SameName(e.stamp)
		c.Self = wasSelf(a.self, e.stamp)
		if c.SameHost {
			c.ExitSeen = a.notices.exited(e.name)
			if beat, _ := e.stamp.Bounds(); !a.notices.mortal(e.name) || o.beat.Unchanged >= 3*beat || o.beat.Age >= 3*beat {
				w.said = w.ask(a, e.stamp)
			} // else the kernel tells of the exit unasked, and no question is open
			c.Kernel = w.said
		}
		if err == nil && a.self.Across(e.stamp) {
			proof, closer := a.across(w, dir, e, o.beat)
			if closer {
				return o, unsure
			}
			o.proof = proof
			c.Across, c.Local, c.ReleaseSeen = w.said, a.traits.Local, proof != nil && w.guarded
		}
	}
	o.verdict = stamp.Judge(c)
	if o.verdict.Takeover {
		return o, dead
	}
	if o.proof != nil {
		_ = o.proof.Close()
		o.proof = nil
	}
	if e.ok || !found.strangers() { // nothing is left beside what may be somebody's data
		a.consult(w, e, o)
	}
	return o, waiting
}

// evict removes a dead owner's stamp by its name, so that it can hit nobody else. Where junk was seen the directory is
// marked first: a crash right after must not leave it to be taken for somebody's data.
func (a *acquisition) evict(dir fsys.Dir, e entry, found entries) error {
	if found.junk() {
		if err := a.markVacant(dir); err != nil {
			return err
		}
	}
	if err := dir.Unlink(e.name); err != nil && !fsys.Is(err, fsys.NotExist) {
		return err
	}
	a.dropStray(a.path, e.name)
	a.forget(e.name)
	a.dropEvicted(e)
	return nil
}

// lookUnstamped judges a directory without a stamp: somebody is about to stamp it, or died before, or a script made it,
// or it is somebody's data.
func (a *acquisition) lookUnstamped(dir fsys.Dir, found entries, clock clockReading) (bool, obstacle, error) {
	if len(found.foreign) > 0 && !clock.ok {
		clock = a.readClock(true) // so that somebody's data is called that at once
	}
	sent := a.Clock.Mono()
	info, err := dir.Info()
	answered := a.Clock.Mono()
	if fsys.Is(err, fsys.NotExist) || fsys.Is(err, fsys.Stale) || err == nil && info.Nlink == 0 {
		return false, obstacle{}, again{err}
	}
	w := a.watch("")
	w.add(a, sent, answered, info.Mtime, err, clock, entry{})
	o := obstacle{problem: err, beat: w.Beat()}
	o.verdict = stamp.Judge(stamp.Case{
		Kind:      stamp.Unstamped,
		Beat:      o.beat,
		Heartbeat: a.set.Heartbeat,
		Stale:     a.set.Stale,
	})
	if len(found.foreign) > 0 && err == nil {
		old := o.beat.AgeKnown && o.beat.Age >= a.set.Stale || o.beat.Unchanged >= a.set.Stale
		if old {
			a.forget("")
			return false, o, fmt.Errorf("%w: %s is a directory with other things in it (%q), and no stamp",
				ErrNotLock, a.set.path, found.foreign[0])
		}
		o.verdict.Takeover, o.verdict.Wait = false, -1
	} else {
		a.consult(w, entry{}, o) // not beside what may be somebody's data
	}
	return o.verdict.Takeover, o, nil
}
