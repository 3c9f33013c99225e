package proptest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
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
	8: "no heartbeat and no release waits for the host of somebody who only looks, or waits",
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
	owner    *Proc
	s        stamp.Stamp
	beat     time.Time     // when it last was touched, or created
	silence  time.Duration // the longest time between two touches
	stepped  bool          // the server's clock was stepped forward since the last touch
	lingered bool          // its owner could remove it after somebody else had: by SMB, what somebody has open is there for others until that is closed
	setBack  bool          // and back, since the stamp was made: to who has read it before and was stopped, a beat that came after looks old
	there    bool
	vandal   bool    // an outsider removed it
	refused  []*Proc // who tried its guard and found it there
	forged   bool    // laid there by somebody else in the owner's name
	removed  time.Time
	thief    *Proc // who removed it, if that was not the owner
	assumed  bool  // the thief was misled by a step of the server's clock while the owner was silent: the stated assumption
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
	readers map[string][]*memfs.Client // by stamps, who has opened them
	maker   *Proc                      // who made the lock directory last,
	made    time.Time                  // and when
	script  time.Time                  // when a script made it that knows mkdir only, or last touched it; zero: it did not
	foreign map[string]string          // what others put there, and what it was
	verdict *Broken
}

func (j *judge) fail(promise int, format string, args ...any) {
	if j.verdict == nil {
		j.verdict = &Broken{promise, fmt.Sprintf(format, args...), j.w}
	}
}

func (j *judge) left(a *actor) {
	j.holders = slices.DeleteFunc(j.holders, func(h *actor) bool { return h == a })
}

// look counts the holders.
func (j *judge) look() {
	if j.verdict != nil {
		return
	}
	j.holders = slices.DeleteFunc(j.holders, func(h *actor) bool {
		lost := !h.live()
		if lost && !h.p.dead {
			j.w.trace.add(event{p: h.p, op: "lost", note: fmt.Sprintf("by #%d", h.n), err: context.Cause(h.lock.Context())})
		}
		return lost
	})
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
