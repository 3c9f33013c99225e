package dirlock

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// Release gives the lock up and ends its context. A second call returns [ErrReleased] and does nothing. After a loss it
// returns an error that matches [ErrLost]; a successor's lock is never touched, since only our own stamp is removed, by its
// name. Any other error is what the system said: the removal is tried again by this process for Stale, at least 30 s, and if
// that does not help either, others can take the lock over once this process has ended. On a network mount that does not
// answer it returns after Stale, and the removal goes on.
func (l *Lock) Release() error {
	l.mu.Lock()
	if l.state == released {
		l.mu.Unlock()
		return ErrReleased
	}
	for l.state == lapsed {
		settled := l.settling
		l.mu.Unlock()
		<-settled
		l.mu.Lock()
	}
	if l.state == released {
		l.mu.Unlock()
		return ErrReleased
	}
	was, cause, s, name, beat := l.state, l.lost, l.stamp, l.name, l.beat
	l.state = released
	l.mu.Unlock()

	beat.Stop()
	l.cancel(ErrReleased) // changes nothing after a loss
	err := l.removeInTime(s, name)
	switch {
	case was == lost:
		return errors.Join(cause, ignoreGone(err))
	case errors.Is(err, errUnheard) && beat.Remaining() > 0: // the reply to our own unlink was lost, and it was sent again
		return nil
	case errors.Is(err, errUnheard), errors.Is(err, errOwnGone):
		return &lostError{l.set.path, "its stamp was gone when it was released", nil}
	case err == nil:
		l.set.log(levelInfo, "dirlock: released", attrPath(l.set.path), attrToken(name))
	}
	return err
}

// removeInTime removes our stamp. On a mount that may hang it does not wait for longer than others may have to wait for us:
// the removal goes on behind the caller's back.
func (l *Lock) removeInTime(s stamp.Stamp, name string) error {
	remove := func() error {
		defer l.lines.released(l.path)
		defer l.disown(s.UUID)
		defer l.dropGuard() // after the unlink: what nobody can remove, others may
		err := l.remove(name)
		if err == nil {
			l.sweepNotes()
		}
		return err
	}
	if l.traits.Local && (l.FS.Mounts() == l.table || l.FS.Mount(l.path) == l.mount) { // nothing that may hang was mounted over it
		return remove()
	}
	_, err := bounded(l.set.Stale, l.set.path, "release", func() (_ struct{}, err error) {
		l.inTurn(context.Background(), l.path, l.mount, func() { err = remove() })
		return struct{}{}, err
	})
	return err
}

var (
	// errOwnGone means that our own stamp was not there any more before we did anything about it: a loss.
	errOwnGone = errors.New("dirlock: own stamp is gone")
	// errUnheard means that it was not there for our own unlink, which may have been sent twice.
	errUnheard = errors.New("dirlock: own stamp was gone when it was removed")
)

func ignoreGone(err error) error {
	if errors.Is(err, errOwnGone) || errors.Is(err, errUnheard) {
		return nil
	}
	return err
}

// remove takes our own stamp out of the lock directory, and then removes the directory unless somebody else is in it. If
// the stamp is not there, whatever stands at the path now is not ours to change.
func (l *Lock) remove(name string) error {
	dir, err := l.FS.OpenDir(l.path)
	switch {
	case fsys.Is(err, fsys.NotExist), fsys.Is(err, fsys.NotDir):
		return errOwnGone
	case err != nil: // no descriptor is left, say: removing needs none
		if uerr := l.FS.Unlink(filepath.Join(l.path, name)); uerr != nil {
			return l.notRemoved(name, uerr)
		}
		return l.process.settle(l.path)
	}
	defer dir.Close()
	listed := false
	if list, err := dir.List(); err == nil {
		found := sortEntries(list, entry{name: name, ok: true})
		listed = found.has(name)
		switch {
		case !listed:
			if info, err := dir.Stat(name); fsys.Is(err, fsys.NotExist) || err == nil && info.Nlink == 0 {
				return errOwnGone
			}
		case found.junk(): // before the unlink: if we die right after it, the directory is free all the same
			_ = l.markVacant(dir)
		case found.vacant:
			_ = dir.Unlink(stamp.Vacant)
		}
	}
	if err := unlinkSurely(dir, name); err != nil {
		if err = l.notRemoved(name, err); err == errUnheard && listed {
			_ = l.process.settle(l.path) // it was there a moment ago: the reply to our own unlink was lost
		}
		return err
	}
	dir.Close() // before the rmdir: on some mounts an open directory outlives it
	return l.process.settle(l.path)
}

// notRemoved sorts what the unlink of our own stamp said.
func (l *Lock) notRemoved(name string, err error) error {
	if fsys.Is(err, fsys.NotExist) {
		return errUnheard
	}
	l.addStray(l.path, name, true, l.set.Stale)
	return err
}
