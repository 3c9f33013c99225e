package dirlock

import (
	"errors"
	"path/filepath"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// Release gives the lock up and ends its context. A second call returns [ErrReleased] and does nothing. After a loss it
// returns an error that matches [ErrLost]; a successor's lock is never touched, since only our own stamp is removed, by its
// name. Any other error is what the system said: the removal is tried again for 30 s by this process, and if that does not
// help either, others can take the lock over once this process has ended.
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
	was, cause, s, beat := l.state, l.lost, l.stamp, l.beat
	l.state = released
	l.mu.Unlock()

	beat.Stop()
	l.cancel(ErrReleased) // changes nothing after a loss
	err := l.remove(s)
	l.disown(s.UUID)
	switch {
	case was == lost:
		return errors.Join(cause, ignoreGone(err))
	case errors.Is(err, errOwnGone):
		if beat.Remaining() > 0 { // the reply to our own unlink was lost, and it was sent again
			return nil
		}
		return &lostError{l.set.path, "its stamp was gone when it was released", nil}
	case err == nil:
		l.set.logger.Info("dirlock: released", attrPath(l.set.path), attrToken(s.Name()))
	}
	return err
}

// errOwnGone means that our own stamp was not there any more.
var errOwnGone = errors.New("dirlock: own stamp is gone")

func ignoreGone(err error) error {
	if errors.Is(err, errOwnGone) {
		return nil
	}
	return err
}

// remove takes our own stamp out of the lock directory, and removes the directory unless somebody else is in it.
func (l *Lock) remove(s stamp.Stamp) error {
	name := s.Name()
	dir, err := l.FS.OpenDir(l.path)
	switch {
	case fsys.Is(err, fsys.NotExist), fsys.Is(err, fsys.NotDir):
		return errOwnGone
	case err != nil: // no descriptor is left, say: removing needs none
		return l.removeByPath(name, err)
	}
	defer dir.Close()
	if list, err := dir.List(); err == nil {
		switch found := sortEntries(list); {
		case found.junk(): // before the unlink: if we die right after it, the directory is free all the same
			_ = l.markVacant(dir)
		case found.vacant:
			_ = dir.Unlink(stamp.Vacant)
		}
	}
	err = dir.Unlink(name)
	return l.removed(name, err, func() { dir.Close() })
}

func (l *Lock) removeByPath(name string, openErr error) error {
	err := l.FS.Unlink(filepath.Join(l.path, name))
	if err != nil && !fsys.Is(err, fsys.NotExist) {
		err = errors.Join(openErr, err)
	}
	return l.removed(name, err, func() {})
}

// removed goes on after the unlink of our own stamp said err.
func (l *Lock) removed(name string, err error, closeDir func()) error {
	gone := fsys.Is(err, fsys.NotExist)
	if err != nil && !gone {
		l.addStray(l.path, name, true)
		return err
	}
	closeDir() // before the rmdir: on some mounts an open directory outlives it
	if err := l.process.settle(l.path); err != nil {
		return err
	}
	if gone {
		return errOwnGone
	}
	return nil
}
