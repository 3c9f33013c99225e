package dirlock

import (
	"errors"
	"io"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A guard is a lock on a stamp's file, by which waiters in other pid namespaces of this kernel learn of the owner's end: they cannot ask
// about its pid, but who gets that lock knows that nobody has it any more. It proves death, and never life.
//
// The owner takes it right after the create and before the listing, and gives up if it does not get it. A waiter that gets it keeps it
// until after its unlink. So one of the two comes first: an owner that has it was not judged dead, and one that was judged dead cannot get
// it, and leaves.

// reserve reports whether the next stamp shall have a guard, for which a descriptor is kept until [process.letGo].
func (p *process) reserve(traits fsys.Traits) bool {
	if !traits.Guards {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.guards >= p.Guards || p.noGuards {
		return false
	}
	p.guards++
	return true
}

// letGo gives a reserved descriptor back, and the guard that it was for, if it came to that.
func (p *process) letGo(guard io.Closer) {
	if guard != nil {
		_ = guard.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guards--
}

// errUnguarded means that a stamp was made whose name promises a guard, and which has none.
var errUnguarded = errors.New("dirlock: a stamp without its guard")

// put makes a stamp, with its guard if the name promises one.
func (p *process) put(dir fsys.Dir, s stamp.Stamp, name string, content []byte) (io.Closer, error) {
	err := dir.Create(name, content, 0o644)
	if !s.Guarded() || err != nil && !fsys.Is(err, fsys.Exist) { // our own uuid exists: the reply to the first try was lost
		return nil, err
	}
	guard, err := dir.Guard(name)
	switch {
	case err == nil:
		return guard, nil
	case fsys.Is(err, fsys.Busy), fsys.Is(err, fsys.NotExist), fsys.Is(err, fsys.TooManyFiles): // the others judge us dead, or did
	default: // there are none to be had
		p.mu.Lock()
		p.noGuards = true
		p.mu.Unlock()
	}
	return nil, errUnguarded
}
