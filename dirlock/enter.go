package dirlock

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// enter stamps the open directory and, if nobody else is in it, returns the lock: steps 2 to 4 of the protocol.
func (a *acquisition) enter(ctx context.Context, dir fsys.Dir, mode fs.FileMode, made bool) (*Lock, obstacle, error) {
	traits, err := dir.Traits()
	if err == nil && made {
		err = a.fixMode(dir, mode)
	}
	if missing(err) { // a late rmdir by somebody else, between the mkdir and here
		return nil, obstacle{}, again{err}
	}
	if err != nil {
		if made {
			dir.Close()
			err = both(err, a.settle(a.path))
		}
		return nil, obstacle{}, err
	}
	var guard io.Closer
	guarded := !a.plain && a.reserve(traits)
	s, content := a.stampFor(traits, guarded)
	name := s.Name()
	a.claim(s.UUID, a.path)
	held := false
	defer func() {
		if !held {
			a.disown(s.UUID)
		}
		if !held && guarded { // after the unlink, so that nobody comes to judge what is going anyway
			a.letGo(guard)
		}
	}()

	began := a.Clock.Mono()
	from := a.Clock.Boot() // the lease begins before the create is sent: its reply may take longer than the lease
	guard, err = a.put(dir, s, name, content())
	switch {
	case err == nil:
	case err == errUnguarded: // somebody tried it who takes us for dead, most likely
		a.plain = true
		return a.retreat(dir, name)
	case fsys.Is(err, fsys.Exist): // our own uuid: the reply to the first try was lost
	case !fsys.Created(err) && (fsys.Is(err, fsys.NotExist) || fsys.Is(err, fsys.Stale)):
		return nil, obstacle{}, again{err}
	default:
		return nil, obstacle{}, a.undo(dir, name, err)
	}
	mtime, err := a.checkBeats(dir, name, traits)
	switch {
	case fsys.Is(err, fsys.NotExist), fsys.Is(err, fsys.Stale): // evicted already: the create took longer than the lease
		return a.retreat(dir, name)
	case err != nil:
		return nil, obstacle{}, a.undo(dir, name, err)
	}

	list, err := dir.List()
	if err != nil {
		err = both(err, a.withdraw(dir, name, entries{}))
		return nil, obstacle{problem: err}, nil
	}
	found := sortEntries(list, entry{name: name, stamp: s, ok: true})
	other, block := a.others(dir, found, name)
	switch {
	case other:
		block.problem = both(block.problem, a.withdraw(dir, name, found))
		block.clash = max(a.Clock.Mono()-began, 1)
		return nil, block, nil
	case !found.has(name):
		// It may be there all the same, and a stamp of a living process that nobody holds would lock its own host out.
		if err := a.withdraw(dir, name, found); err != nil {
			return nil, obstacle{problem: err}, nil
		}
		return nil, obstacle{}, again{}
	case ctx.Err() != nil:
		return nil, obstacle{}, both(a.over(ctx), a.withdraw(dir, name, found))
	case a.Clock.Boot()-from >= a.set.Lease():
		block := obstacle{verdict: stamp.Verdict{Reason: "the file system took longer to answer than the lease lasts"}}
		block.problem = a.withdraw(dir, name, found)
		return nil, block, nil
	}
	held = true
	return a.newLock(s, name, traits, from, mtime, guard), obstacle{}, nil
}

// retreat withdraws a stamp that is of no use, to begin anew.
func (a *acquisition) retreat(dir fsys.Dir, name string) (*Lock, obstacle, error) {
	if err := a.withdraw(dir, name, entries{}); err != nil {
		return nil, obstacle{problem: err}, nil
	}
	return nil, obstacle{}, again{}
}

// others reports whether a stamp other than name is really in the directory. A listed name counts as gone only if a
// forced stat says so: on NFS v3 a cached listing outlives a removal, and any other error proves nothing.
func (a *acquisition) others(dir fsys.Dir, found entries, name string) (bool, obstacle) {
	for _, e := range found.stamps {
		if e.name == name {
			continue
		}
		info, err := dir.Stat(e.name)
		switch {
		case fsys.Is(err, fsys.NotExist), err == nil && info.Nlink == 0:
		case err == nil && info.Kind != fsys.KindRegular: // foreign: never counted
		default:
			return true, obstacle{name: e.name, stamp: e.stamp, local: a.traits.Local, problem: err,
				verdict: stamp.Verdict{Reason: "another process stamped the same directory: withdrawn"}}
		}
	}
	return false, obstacle{}
}

// newStamp returns a token that was never used before.
func (a *acquisition) newStamp(traits fsys.Traits, guarded bool) stamp.Stamp {
	s := stamp.Stamp{
		Version:    stamp.Version,
		UUID:       stamp.Guard(a.UUID(), guarded),
		PID:        a.self.PID,
		Start:      a.self.Start,
		Boot:       a.self.Boot,
		PIDNS:      a.self.PIDNS,
		TimeNS:     a.self.TimeNS,
		Group:      a.set.group,
		GroupStart: a.groupStart,
		Heartbeat:  a.set.Heartbeat,
		Stale:      a.set.Stale,
		HostHash:   stamp.HostHash(a.self.Host),
		Label:      stamp.Label(a.self.Host),
	}
	switch traits.Beats {
	case fsys.ClockFS:
		s.Clock = stamp.ClockFS
	case fsys.ClockClient:
		s.Clock = stamp.ClockHolder
	}
	return s
}

// content is what the stamp says to people.
func (a *acquisition) content(s stamp.Stamp, name string) []byte {
	return a.contentAt(s, name, a.since())
}

// since is the date of an acquisition.
func (a *acquisition) since() time.Time { return a.Wall().UTC().Truncate(time.Millisecond) }

func (a *acquisition) contentAt(s stamp.Stamp, name string, since time.Time) []byte {
	program, container := a.Tell()
	return stamp.Content{
		Version:   s.Version,
		Token:     name,
		PID:       s.PID,
		Host:      a.self.Host,
		UUID:      s.UUID,
		Boot:      s.Boot,
		PIDNS:     s.PIDNS,
		Program:   program,
		Container: container,
		Note:      a.set.note,
		Since:     since,
	}.Encode()
}

// fixMode gives a directory that we made the mode that was asked for, which the umask may have narrowed. A file system
// without modes is no reason to fail, unless the caller asked for one.
func (a *acquisition) fixMode(dir fsys.Dir, mode fs.FileMode) error {
	if err := dir.Grant(mode); err != nil && a.set.mode != 0 {
		return err
	}
	return nil
}

// undo takes back what a failed stamping left, so that nobody enters unlocked and nothing is in anybody's way. It returns
// the failure together with what could not be undone.
func (a *acquisition) undo(dir fsys.Dir, name string, failure error) error {
	answered := fsys.Created(failure) || definite(failure)
	err := a.unlinkOwn(dir, name, answered)
	dir.Close()
	return both(failure, both(err, a.settle(a.path)))
}

// definite reports whether the system's answer leaves no doubt that the call had no effect. A timed-out or interrupted
// create may land later.
func definite(err error) bool {
	for _, c := range []fsys.Class{fsys.NotExist, fsys.Stale, fsys.NotDir, fsys.Access, fsys.ReadOnlyFS, fsys.NoSpace, fsys.TooManyFiles, fsys.NameTooLong} {
		if fsys.Is(err, c) {
			return true
		}
	}
	return false
}
