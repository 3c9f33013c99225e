package proptest

import (
	"context"
	"errors"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

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
	slow := errors.Is(a.err, context.DeadlineExceeded) // clearing up goes on
	undisturbed := !j.w.troubled || fsys.Is(a.err, fsys.Access) && !j.w.failing
	if a.err != nil && undisturbed && !a.p.dead && !slow && !errors.Is(a.err, dirlock.ErrLost) {
		j.fail(4, "nothing has failed, and the Release of %s returned %v", a.who(), a.err)
	}
	if r != nil && r.thief != nil && !r.lingered && a.err == nil && r.s.UUID == a.lock.Stamp().UUID && !a.p.dead {
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
	if a.p.dead || errors.Is(a.err, dirlock.ErrHeld) || errors.Is(a.err, errCanceled) || errors.Is(a.err, context.DeadlineExceeded) || a.p.cleanup || !a.p.idle() || j.maker != a.p || j.made.Before(a.began) {
		return
	}
	if info, there := j.w.server.Lookup(lockPath); there && info.Kind == fsys.KindDir && len(j.w.server.Names(lockPath)) == 0 {
		j.fail(4, "%s failed (%v), and left the directory that it had made", a.who(), a.err)
	}
}
