package proptest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// The promises that the judge watches over, by the numbers that a failure gives.
var promises = []string{
	1: "one kernel, one pid namespace: never two holders, whatever is stopped or killed",
	2: "never two holders whose contexts live; who was stopped learns of it when it runs again",
	3: "nobody removes or renews another's stamp but the thief of that very stamp, and a superseded holder learns of it",
	4: "no success without the stamp on disk, and no failure that leaves a mess",
	5: "when faults stop somebody gets the lock in time, and what was abandoned is repaired",
	6: "no verdict depends on a client's date",
	7: "what is not ours is neither removed nor changed",
}

// A Broken promise ends a run.
type Broken struct {
	Promise int
	What    string
	world   *World
}

// Error says which promise was broken and how, and gives the script and the trace.
func (b *Broken) Error() string {
	return fmt.Sprintf("promise %d is broken (%s): %s\n--- script\n%s--- trace\n%s",
		b.Promise, promises[b.Promise], b.What, b.world.Script(), b.world.trace.lines(400))
}

// stampRecord is what became of one stamp.
type stampRecord struct {
	owner   *Proc
	s       stamp.Stamp
	beat    time.Time     // when it last was touched, or created
	silence time.Duration // the longest time between two touches
	stepped bool          // the server's clock was stepped forward since the last touch
	there   bool
	vandal  bool // an outsider removed it
	forged  bool // laid there by somebody else in the owner's name
	removed time.Time
	thief   *Proc // who removed it, if that was not the owner
	assumed bool  // the thief was misled by a step of the server's clock while the owner was silent: the stated assumption
}

// quiet is the longest that the owner was silent, until now.
func (r *stampRecord) quiet() time.Duration { return max(r.silence, time.Since(r.beat)) }

// evicted reports whether somebody under another kernel than the holder's took the lock over: by the mtime rule, then.
func (r *stampRecord) evicted(holder *Proc) bool {
	return r.thief != nil && !(r.thief.sameKernel(holder) && r.thief.id.SameHost(r.s))
}

// judge sees all effects, in their order.
type judge struct {
	w       *World
	stamps  map[string]*stampRecord
	holders []*actor
	maker   *Proc             // who made the lock directory last
	foreign map[string]string // what others put there, and what it was
	verdict *Broken
}

func (j *judge) fail(promise int, format string, args ...any) {
	if j.verdict == nil {
		j.verdict = &Broken{promise, fmt.Sprintf(format, args...), j.w}
	}
}

// before is called when a call is about to have its effect.
func (j *judge) before(c *call) {
	name := path.Base(c.path)
	switch c.op {
	case "unlink", "rmdir", "touch", "setmtime", "chmod", "create", "mkdir", "rename":
	default:
		return
	}
	if c.p.onlooker {
		j.fail(7, "%s only looks, and changes something: %s", c.p.name, c)
	}
	if _, ok := j.foreign[c.path]; ok && !isDropping(name) {
		if c.op != "mkdir" && c.op != "create" { // those are refused
			j.fail(7, "%s: %s", c.p.name, c)
		}
		return
	}
	r := j.stamps[name]
	if r == nil || !r.there {
		return
	}
	if c.op == "unlink" && c.p.sawJunk && !c.p.marred && j.last(name) {
		if _, marked := j.w.server.Lookup(lockPath + "/" + stamp.Vacant); !marked {
			j.fail(4, "%s has seen junk, and removes the last stamp without the marker: if it dies now nobody can have the lock", c.p.name)
		}
	}
	switch c.op {
	case "unlink":
		if r.owner != c.p || r.forged {
			j.robbery(c, r)
		}
	case "touch", "setmtime":
		if r.owner != c.p {
			j.fail(3, "%s renews the stamp of %s", c.p.name, r.owner.name)
		}
	}
}

// robbery judges the removal of somebody else's stamp. Whether it was right to judge the owner is told by what happened,
// not by what the thief could see.
func (j *judge) robbery(c *call, r *stampRecord) {
	beat, stale := r.s.Bounds()
	slack := j.w.Config.tick() + time.Millisecond
	quiet := r.quiet()
	if c.p.sameKernel(r.owner) && c.p.id.SameHost(r.s) && !r.forged {
		switch {
		case !r.owner.gone():
			j.fail(1, "%s evicts %s, which lives under the same kernel", c.p.name, r.owner.name)
		case quiet < 3*beat-slack && !r.stepped:
			j.fail(3, "%s evicts %s, whose last heartbeat was %v ago", c.p.name, r.owner.name, quiet)
		}
		return
	}
	mine := c.p.mutex
	beat, stale = max(beat, mine.Heartbeat), max(stale, mine.Stale)
	need := stale
	if r.stepped && quiet < need {
		r.assumed = true
		need = stamp.Confirm(beat, stale)
	}
	if quiet < need-slack {
		j.fail(3, "%s evicts %s, which was silent for %v, not for %v", c.p.name, r.owner.name, quiet, need)
	}
}

// last reports whether the lock directory has no stamp but this one.
func (j *judge) last(name string) bool {
	for _, n := range j.w.server.Names(lockPath) {
		if strings.HasPrefix(n, stamp.Prefix) && n != name && n != stamp.Vacant && j.foreign[lockPath+"/"+n] == "" {
			return false
		}
	}
	return true
}

// after is called when a call has had its effect.
func (j *judge) after(c *call) {
	name := path.Base(c.path)
	switch c.op {
	case "mkdir":
		if c.path == lockPath && c.answer == nil {
			j.maker = c.p
		}
	case "create":
		if !strings.HasPrefix(name, stamp.Prefix) || name == stamp.Vacant {
			return
		}
		s, err := stamp.Parse(name)
		made := c.answer == nil || fsys.Created(c.answer)
		switch known := j.stamps[name]; {
		case known != nil && made:
			j.fail(3, "%s uses a uuid again: %s", c.p.name, name)
		case made && err == nil:
			j.stamps[name] = &stampRecord{owner: c.p, s: s, beat: time.Now(), there: true}
		}
	case "touch", "setmtime":
		if r := j.stamps[name]; r != nil && c.answer == nil {
			r.silence = r.quiet()
			r.beat, r.stepped = time.Now(), false
		}
	case "unlink":
		if r := j.stamps[name]; r != nil && c.answer == nil {
			r.there, r.removed = false, time.Now()
			if r.owner != c.p {
				r.thief = c.p
				j.w.count.takeovers++
			}
		}
	}
}

// entered is called when an Acquire has returned a lock.
func (j *judge) entered(a *actor) {
	r := j.stamps[a.name()]
	switch {
	case a.lock.Context().Err() != nil: // lost already
	case r == nil:
		j.fail(4, "%s holds the lock, and its stamp was never made: %s", a.p.name, a.name())
	case !r.there && r.thief == nil && !r.vandal && !a.excused(): // one that slept meanwhile may be taking its lock anew
		j.fail(4, "%s holds the lock, and its stamp is not there: %s", a.p.name, a.name())
	}
	j.w.count.locks++
	j.holders = append(j.holders, a)
}

func (j *judge) left(a *actor) {
	j.holders = slices.DeleteFunc(j.holders, func(h *actor) bool { return h == a })
}

// look counts the holders.
func (j *judge) look() {
	if len(j.holders) < 2 || j.verdict != nil {
		return
	}
	j.holders = slices.DeleteFunc(j.holders, func(h *actor) bool { return !h.live() })
	for i, a := range j.holders {
		for _, b := range j.holders[:i] {
			if a.path != b.path {
				continue
			}
			ra, rb := j.stamps[a.name()], j.stamps[b.name()]
			switch {
			case a.p.sameKernel(b.p) && a.p.id.SameHost(rb.s) && !ra.evicted(a.p) && !rb.evicted(b.p) && !ra.vandal && !rb.vandal:
				j.fail(1, "two holders: %s and %s", b.who(), a.who())
			case ra.assumed || rb.assumed:
				j.w.count.assumed++
			case j.w.unnoticed(a, ra) || j.w.unnoticed(b, rb):
				j.w.count.excused++
			case a.excused() || b.excused():
				j.w.count.excused++
			default:
				j.fail(2, "two holders: %s and %s", b.who(), a.who())
			}
		}
	}
}

func (a *actor) who() string { return fmt.Sprintf("%s#%d", a.p.name, a.n) }

// noticed is how long after it was stopped a process may need to learn that it lost the lock: a tick of its watchdog, and
// the answer of the file system, for which it waits a heartbeat.
func (a *actor) noticed() time.Duration {
	h := a.p.mutex.Heartbeat
	return h/3 + max(h, 500*time.Millisecond) + 10*time.Millisecond
}

func (a *actor) excused() bool { return a.p.clock.drowsy(a.noticed()) }

// checked is called when a Check has returned: nil means that the stamp was there after it was called.
func (j *judge) checked(a *actor) {
	r := j.stamps[a.name()]
	if a.err == nil && !a.p.dead && r != nil && !r.there && r.removed.Before(a.acquired) {
		j.fail(2, "%s was told that it holds the lock, whose stamp was removed %v before it asked", a.who(), a.acquired.Sub(r.removed))
	}
}

// releasedAs is called when a Release has returned.
func (j *judge) releasedAs(a *actor) {
	r := j.stamps[a.name()]
	if r != nil && r.thief != nil && a.err == nil && r.s.UUID == a.lock.Stamp().UUID && !a.p.dead {
		j.fail(3, "%s released without an error, and %s had taken the lock over", a.who(), r.thief.name)
	}
}

// refused is called when an Acquire has returned an error.
func (j *judge) refused(a *actor) {
	if errors.Is(a.err, dirlock.ErrLost) || errors.Is(a.err, dirlock.ErrReleased) {
		j.fail(4, "%s: Acquire returned %v", a.who(), a.err)
	}
	if !a.p.dead && !a.p.cleanup && a.p.idle() {
		for name, r := range j.stamps {
			if r.owner == a.p && r.there && !r.forged {
				j.fail(4, "%s has given up, and left its stamp: %s", a.p.name, name)
			}
		}
	}
	if a.p.dead || errors.Is(a.err, dirlock.ErrHeld) || errors.Is(a.err, errCanceled) || errors.Is(a.err, context.DeadlineExceeded) || a.p.cleanup || !a.p.idle() || j.maker != a.p {
		return
	}
	if info, there := j.w.server.Lookup(lockPath); there && info.Kind == fsys.KindDir && len(j.w.server.Names(lockPath)) == 0 {
		j.fail(4, "%s failed (%v), and left the directory that it had made", a.who(), a.err)
	}
}

func isDropping(name string) bool {
	return name == ".DS_Store" || name == "Thumbs.db" || name == "desktop.ini" || strings.HasPrefix(name, "._")
}
