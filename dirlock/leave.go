package dirlock

import (
	"path/filepath"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// settleBound is how long removing the directory is tried again where something passes: a file that NFS keeps until its
// last close, a handle that a virus scanner holds.
const settleBound = time.Second

// withdraw takes back the stamp of an attempt that did not come to hold the lock. It must be certain to be gone.
func (a *acquisition) withdraw(dir fsys.Dir, name string, found entries) error {
	if found.junk() {
		_ = a.markVacant(dir) // helps whoever finds the directory if we die now; without it, it costs a person's time
	}
	err := a.unlinkOwn(dir, name, true)
	dir.Close()
	if err != nil {
		return err
	}
	return a.settle(a.path)
}

// unlinkOwn removes a stamp of this process, by its name. It is certain to be gone if the unlink succeeded, or says that
// there is none although the create had answered. Otherwise it is remembered as a stray and tried again: a create that
// timed out may land late.
func (a *acquisition) unlinkOwn(dir fsys.Dir, name string, answered bool) error {
	switch err := unlinkSurely(dir, name); {
	case err == nil:
		return nil
	case fsys.Is(err, fsys.NotExist):
		if !answered {
			a.addStray(a.path, name, answered, a.set.Stale)
		}
		return nil
	default:
		a.addStray(a.path, name, answered, a.set.Stale)
		return err
	}
}

// unlinkSurely is an unlink that is repeated where its failure leaves open whether it had its effect: the second one tells.
func unlinkSurely(dir fsys.Dir, name string) error {
	err := dir.Unlink(name)
	if err != nil && !definite(err) {
		err = dir.Unlink(name)
	}
	return err
}

// markVacant leaves the mark of a directory that is free although something lies in it.
func (p *process) markVacant(dir fsys.Dir) error {
	err := dir.Create(stamp.Vacant, nil, 0o644)
	if fsys.Is(err, fsys.Exist) {
		return nil
	}
	return err
}

// settle removes the lock directory after a stamp was removed from it, if it is empty then. What others put there stays,
// and the directory is marked as vacant; somebody else's stamp means that it is theirs now. What was cleared away is followed by
// another attempt, however slow all that is: it must not end in an empty directory that everybody waits for.
func (p *process) settle(path string) error {
	wait, last, busy := time.Millisecond, false, false
	var refused time.Duration // when a marker first could not be made, because an old one is about to go away; 0: it could
	for start := p.Clock.Mono(); ; wait = min(2*wait, 100*time.Millisecond) {
		late := p.Clock.Mono()-start > settleBound // before the call: one that is slow is no reason to give up
		err := p.FS.Rmdir(path)
		switch {
		case err == nil, fsys.Is(err, fsys.NotExist):
			return nil
		case fsys.Is(err, fsys.NotEmpty):
			again, lerr := p.clear(path, late, last)
			if !fsys.Is(lerr, fsys.Access) || !p.deletePending(path) {
				refused = 0
			} else if refused == 0 {
				refused = p.Clock.Mono()
			}
			switch {
			case missing(lerr): // somebody else removed it meanwhile
				return nil
			case refused != 0 && p.Clock.Mono()-refused < deletePending:
			case lerr != nil && (late || definite(lerr)), lerr == nil && !again:
				return lerr
			}
			last = late
		case fsys.Is(err, fsys.Busy) && !p.deletePending(path):
			if busy { // something is mounted there: it stays, and is free
				return p.leaveVacant(path)
			}
			busy = true
		case fsys.Is(err, fsys.Access) && !p.deletePending(path), fsys.Is(err, fsys.ReadOnlyFS), fsys.Is(err, fsys.NotDir), late:
			return err
		} // else it may pass: a handle that somebody holds, a server that errs once
		if late || wait > time.Millisecond {
			time.Sleep(wait)
		}
	}
}

// leaveVacant marks a directory that cannot be removed, if nobody has stamped it meanwhile.
func (p *process) leaveVacant(path string) error {
	dir, err := p.FS.OpenDir(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	list, err := dir.List()
	if err != nil || len(sortEntries(list).stamps) > 0 {
		return err
	}
	return p.markVacant(dir)
}

// clear looks at what keeps a directory from being removed. It reports whether removing it may work now, or soon. Late, it does not
// wait for what may pass any more; at last, it marks the directory as vacant whatever is there.
func (p *process) clear(path string, late, last bool) (again bool, err error) {
	dir, err := p.FS.OpenDir(path)
	switch {
	case fsys.Is(err, fsys.NotExist), fsys.Is(err, fsys.NotDir):
		return false, nil
	case err != nil:
		return false, err
	}
	defer dir.Close()
	list, err := dir.List()
	if err != nil {
		return false, err
	}
	found := sortEntries(list)
	found.tell(dir)
	found.bury(dir)
	switch {
	case len(found.stamps) > 0: // whoever that is, it is theirs now
		return false, nil
	case len(found.foreign) > 0, len(found.residue) > 0 && late, last:
		return false, p.markVacant(dir)
	case len(found.residue) > 0: // mostly a file that somebody has open: it goes when that is closed
		return true, p.markVacant(dir)
	}
	for _, name := range found.droppings {
		if err := dir.Unlink(name); err != nil && !fsys.Is(err, fsys.NotExist) {
			return false, p.markVacant(dir)
		}
	}
	if found.vacant {
		if err := dir.Unlink(stamp.Vacant); err != nil && !fsys.Is(err, fsys.NotExist) {
			return false, err
		}
	}
	return true, nil
}

// deletePending reports whether a refusal on this mount may be an entry that is about to go away.
func (p *process) deletePending(path string) bool {
	traits, err := p.FS.Traits(parentOf(path))
	return err == nil && traits.DeletePending
}

func parentOf(path string) string { return filepath.Dir(path) }
