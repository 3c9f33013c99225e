package dirlock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// An obstacle is why a pass did not end with the lock.
type obstacle struct {
	name    string      // the stamp in the way; "" if there is none
	stamp   stamp.Stamp // zero: no stamp, or one that is not our format
	verdict stamp.Verdict
	beat    stamp.Beat
	alone   bool          // there is no other stamp
	ours    bool          // this process holds the lock by that stamp, or is about to
	local   bool          // the stamp may be opened, to be read
	content stamp.Content // what it says to people, where that was read
	problem error         // what the system said, where it said no
	refusal error         // what it said of a directory that is there without a stamp, when this process was about to stamp it
	proof   io.Closer     // what keeps the owner dead until it is evicted
	clash   time.Duration // how long two stamps stood in the directory, so that both had to withdraw; 0: no such thing
}

// seen reports whether anything was found out.
func (o obstacle) seen() bool { return o.verdict.Reason != "" || o.problem != nil }

// over is the error of a wait that ended before anybody was seen to hold the lock.
func (a *acquisition) over(ctx context.Context) error {
	return &fs.PathError{Op: "acquire", Path: a.set.path, Err: context.Cause(ctx)}
}

// again means that the directory vanished between two calls: back to mkdir, at once.
type again struct {
	cause error // what the system said; nil: that it is removed
}

func (again) Error() string { return "dirlock: vanished meanwhile" }

// maxAgain bounds how often one pass goes back to mkdir without a pause.
const maxAgain = 20

// pass goes once through the protocol: mkdir, else a look at who is there. It returns the lock, or an obstacle to wait
// for, or an error that waiting does not mend.
func (a *acquisition) pass(ctx context.Context) (*Lock, obstacle, error) {
	var gone again
	for range maxAgain {
		if ctx.Err() != nil {
			return nil, obstacle{}, a.over(ctx)
		}
		lock, block, err := a.once(ctx)
		if errors.As(err, &gone) {
			if fsys.Is(gone.cause, fsys.Stale) {
				a.refusal = gone.cause
			}
			if !a.traits.Local {
				_, _ = a.FS.Stat(a.path) // an SMB client takes a removed directory to be there for another second, unless it is made to ask
			}
			continue
		}
		if block.name == "" {
			block.refusal = a.refusal
		}
		return lock, block, err
	}
	return nil, obstacle{verdict: stamp.Verdict{Reason: "the directory came and went with every look"}, problem: gone.cause}, nil
}

func (a *acquisition) once(ctx context.Context) (*Lock, obstacle, error) {
	mode, err := a.mode()
	if err != nil {
		return nil, obstacle{}, err
	}
	err = a.FS.Mkdir(a.path, mode)
	made := err == nil
	switch {
	case made, fsys.Is(err, fsys.Exist):
		a.pending = 0 // the next refusal has a second of its own
	case fsys.Is(err, fsys.Interrupted):
	default:
		return a.refused(err)
	}
	dir, err := a.FS.OpenDir(a.path)
	if err != nil {
		return a.cannotOpen(made, err)
	}
	defer dir.Close()
	if !made {
		free, block, err := a.look(dir)
		if err != nil || !free {
			return nil, block, err
		}
	}
	return a.enter(ctx, dir, mode, made)
}

// mode is that of a lock directory: as asked for, or from the parent.
func (a *acquisition) mode() (fs.FileMode, error) {
	if a.set.mode != 0 {
		return a.set.mode, nil
	}
	if a.inherit == 0 {
		info, err := a.FS.Stat(parentOf(a.path))
		if err != nil {
			return 0, err
		}
		a.inherit = fsys.InheritMode(info).Perm()
	}
	return a.inherit, nil
}

// refused sorts what mkdir said. Only on SMB and Windows may a refusal be an entry that is about to go away: for a second.
func (a *acquisition) refused(err error) (*Lock, obstacle, error) {
	if fsys.Is(err, fsys.Access) || fsys.Is(err, fsys.Busy) {
		traits, terr := a.FS.Traits(parentOf(a.path))
		now := a.Clock.Mono()
		if a.pending == 0 {
			a.pending = now
		}
		if terr == nil && traits.DeletePending && now-a.pending < deletePending && !a.set.try {
			return nil, obstacle{problem: err}, nil
		}
	}
	return nil, obstacle{}, err
}

// cannotOpen sorts what opening the lock directory said.
func (a *acquisition) cannotOpen(made bool, err error) (*Lock, obstacle, error) {
	switch {
	case fsys.Is(err, fsys.NotExist), fsys.Is(err, fsys.Stale):
		return nil, obstacle{}, again{err}
	case fsys.Is(err, fsys.NotDir):
		return nil, obstacle{}, a.notDirectory(err)
	case made: // never leave an obstruction
		return nil, obstacle{}, both(err, a.removeDir())
	case fsys.Is(err, fsys.TooManyFiles) && a.rhythm.poll == 0: // later on it is waited out, as what has worked before
		return nil, obstacle{}, err
	}
	return nil, obstacle{problem: err}, nil // unreadable is not missing
}

// notDirectory names what stands at the path instead of a directory.
func (a *acquisition) notDirectory(cause error) error {
	info, err := a.FS.Stat(a.path)
	switch {
	case fsys.Is(err, fsys.NotExist), err == nil && info.Kind == fsys.KindDir:
		return again{err}
	case err != nil:
		return fmt.Errorf("%w: %s: %w", ErrNotLock, a.set.path, cause)
	}
	return fmt.Errorf("%w: %s is a %s", ErrNotLock, a.set.path, info.Kind)
}

// removeDir removes the lock directory if it is empty; that somebody else is in it, or was quicker, is no error.
func (a *acquisition) removeDir() error {
	err := a.FS.Rmdir(a.path)
	if fsys.Is(err, fsys.NotExist) || fsys.Is(err, fsys.NotEmpty) {
		return nil
	}
	return err
}
