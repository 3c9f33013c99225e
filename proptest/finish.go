package proptest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// bound is how long it may take, once nothing goes wrong any more, until somebody new holds the lock: what was abandoned
// is silent for Stale at the latest then, and confirmed; a stray is chased for 30 s. Each of those who wait takes its turn.
func (w *World) bound() time.Duration {
	beat, stale := time.Second, 30*time.Second
	for _, p := range w.procs {
		beat, stale = max(beat, p.mutex.Heartbeat), max(stale, p.mutex.Stale)
	}
	return 2*stale + stamp.Confirm(beat, stale) + 10*time.Second
}

// Finish ends all faults, and demands that a newcomer gets the lock within the bound, that all who wait get it, and that
// nothing is left then. The newcomer is on the given host, in its initial pid namespace, or on one of its own if that is "".
func (w *World) Finish(on string) error {
	if w.judge.verdict != nil {
		return w.Failure()
	}
	last := Action{Verb: "finish"}
	if on != "" {
		last.Opt = []string{on}
	}
	w.script = append(w.script, last)
	w.calm()
	w.superseded()
	w.relieve()
	newcomer := w.newcomer(on)
	if newcomer == nil {
		return w.Failure()
	}
	a := w.acquire(newcomer, lockPath, -1)
	a.eager = true
	until := time.Now().Add(w.bound())
	for time.Now().Before(until) && w.judge.verdict == nil && w.waiting() {
		w.run(time.Second, nil)
		w.relieve()
	}
	w.gather()
	switch {
	case w.judge.verdict != nil:
		return w.Failure()
	case (w.waiting() || a.lock == nil) && w.limit(a):
		w.count.limits++
	case a.lock == nil && a.err != nil:
		w.judge.fail(5, "a newcomer cannot have the lock, though nothing goes wrong: %v", a.err)
	case w.waiting():
		w.judge.fail(5, "nothing goes wrong for %v, and the lock is not to be had: %q", w.bound(), w.server.Names(lockPath))
	}
	w.run(35*time.Second, nil) // strays are chased for 30 s
	w.leftovers()
	return w.Failure()
}

// notice is how long it takes until one whose stamp is gone knows it: two beats; three where the server answers one more after
// a removal; and on SMB, where the host has a stamp open for a second after it made it, a second more.
func (w *World) notice(p *Proc) time.Duration {
	beats, open := time.Duration(3), time.Duration(0)
	switch p.host.kind {
	case Local:
		beats = 2
	case SMB:
		open = time.Second
	}
	return open + beats*p.mutex.Heartbeat + 10*w.Config.Latency + 50*time.Millisecond
}

// unnoticed reports whether an outsider took somebody's lock away so recently that this need not have been noticed.
func (w *World) unnoticed(a *actor, r *stampRecord) bool {
	return r.vandal && (time.Since(r.removed) <= w.notice(a.p) || w.troubled)
}

// calm takes back all that stands in anybody's way.
func (w *World) calm() {
	w.hung, w.grace = false, false
	for _, h := range w.hosts {
		h.cut = false
		_ = w.closeFiles(h, Action{})
	}
	for _, p := range w.procs {
		p.plans = nil
		w.cont(p, 0)
	}
	for _, c := range w.ready {
		c.held = false
	}
	w.gather()
	w.land()
	for _, p := range w.procs {
		if p.dead && p.group != nil {
			_ = p.group.Kill()
			_ = p.group.Reap()
		}
	}
	for _, name := range w.server.Names(lockPath) { // what was forged in the name of one who lives would be waited for
		if r := w.judge.stamps[name]; r != nil && r.forged && !r.owner.dead {
			_ = w.admin.Unlink(lockPath + "/" + name)
			r.there = false
			if foreign, ours := w.contents(); foreign && !ours { // no lock any more, and nobody comes who would sweep beside it
				w.troubled = true
			}
		}
	}
}

// superseded gives those who hold the lock the time to notice what happened to it, and demands that they have.
func (w *World) superseded() {
	var most time.Duration
	for _, p := range w.procs {
		for _, a := range p.active(holding) {
			most = max(most, w.notice(p), a.noticed())
		}
	}
	if most == 0 {
		return
	}
	w.run(most, nil)
	for _, p := range w.procs {
		for _, a := range p.active(holding) {
			if r := w.judge.stamps[a.name()]; a.live() && r != nil && !r.there {
				w.judge.fail(3, "%s still believes to hold the lock: %s", a.who(), a.name())
			}
		}
	}
}

// relieve lets all who hold the lock give it up, and those who still want it take turns.
func (w *World) relieve() {
	w.gather()
	for _, p := range w.procs {
		for _, a := range p.actors {
			if a.state == holding && !p.dead {
				w.release(a)
				w.gather() // one after the other: calls of one process at one instant have no order of their own
			}
			a.eager = true
		}
	}
}

// newcomer is a process with the settings of the first.
func (w *World) newcomer(on string) *Proc {
	begin := []Action{{Verb: "start", On: "new", Opt: []string{on}}}
	if on == "" {
		begin = []Action{{Verb: "host", On: "newhost"}, {Verb: "start", On: "new", Opt: []string{"newhost"}}}
	}
	for _, a := range begin {
		if err := verbs[a.Verb].do(w, a); err != nil {
			w.judge.fail(5, "%v", err)
			return nil
		}
	}
	p := w.process("new")
	if len(w.procs) > 1 {
		p.mutex.Heartbeat, p.mutex.Stale = w.procs[0].mutex.Heartbeat, w.procs[0].mutex.Stale
	}
	return p
}

// waiting reports whether anybody still waits for the lock.
func (w *World) waiting() bool {
	for _, p := range w.procs {
		if !p.dead && len(p.active(acquiring))+len(p.active(holding))+len(p.active(releasing)) > 0 {
			return true
		}
	}
	return false
}

// limit reports whether what stands in the way is the documented limit: a crash, with something foreign in a directory that
// has neither a stamp nor the marker.
func (w *World) limit(a *actor) bool {
	foreign, ours := w.contents()
	return foreign && !ours || errors.Is(a.err, dirlock.ErrNotLock)
}

func (w *World) contents() (foreign, ours bool) {
	for _, name := range w.server.Names(lockPath) {
		if _, strange := w.judge.foreign[lockPath+"/"+name]; !strange && strings.HasPrefix(name, stamp.Prefix) {
			ours = true
		} else if !isDropping(name) {
			foreign = true
		}
	}
	return foreign, ours
}

// leftovers demands that everything of ours is gone, and everything foreign is there.
func (w *World) leftovers() {
	if w.judge.verdict != nil {
		return
	}
	foreign, _ := w.contents()
	for _, name := range w.server.Names(lockPath) {
		_, err := stamp.Parse(name)
		if err != nil && foreign { // a name that nobody knows, beside somebody's data: that is no lock
			continue
		}
		if strings.HasPrefix(name, stamp.Prefix) && name != stamp.Vacant {
			w.judge.fail(4, "left behind in the lock: %s", name)
		}
	}
	if _, err := w.admin.Stat(lockPath); !foreign && w.judge.foreign[lockPath] == "" && !fsys.Is(err, fsys.NotExist) {
		w.judge.fail(4, "the lock is still there, and nobody has it: %q", w.server.Names(lockPath))
	}
	// What one who was cut short left beside the lock is for the next one who uses that.
	if names := w.server.Names(lockPath + ".dirlock"); len(names) > 0 && !w.troubled {
		w.judge.fail(4, "left behind beside the lock: %q", names)
	}
	for at, was := range w.judge.foreign {
		if now := w.describe(at); now != was && !isDropping(at[strings.LastIndex(at, "/")+1:]) {
			w.judge.fail(7, "%s was %s and is %s", at, was, now)
		}
	}
}

// describe says what stands at a path, for comparing.
func (w *World) describe(at string) string {
	info, err := w.admin.Stat(at)
	if err != nil {
		return "missing"
	}
	return fmt.Sprint(info.Kind, " ", info.Mode, " ", info.Size, " ", info.Mtime)
}

// Close ends all processes, and lets their goroutines come to their end.
func (w *World) Close() {
	verdict := w.judge.verdict
	w.judge.verdict = &Broken{world: w} // nothing that happens now counts
	for _, p := range w.procs {
		if !p.dead {
			w.gather() // what those before have woken by their end
			w.kill(p)
		}
	}
	time.Sleep(2 * time.Hour)
	w.judge.verdict = verdict
}
