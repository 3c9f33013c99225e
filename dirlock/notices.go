package dirlock

import (
	"sync"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// notices are what the kernel was asked to tell an acquisition, so that it can sleep. They are only ever a reason to look
// again, and safe to lose: where there are none, it polls.
type notices struct {
	mu     sync.Mutex
	dir    *notice // nil: it was not asked, or would not
	dirFor string  // the stamp that was in the way when it was
	exit   *notice // as dir
	of     string  // the stamp whose owner's exit is waited for
	deaf   bool    // the directory cannot be watched
}

// A notice is one thing that the kernel was asked to tell. One that comes late is nobody's.
type notice struct {
	stop func()
	came bool
}

// forget ends one.
func (n *notices) forget(which **notice) {
	n.mu.Lock()
	former := *which
	*which = nil
	n.mu.Unlock()
	if former != nil { // not under the mutex, which a notice that comes just now waits for
		former.stop()
	}
}

// end is the end of all listening. That an owner has ended stays known: who begins anew is not told of it twice.
func (n *notices) end() {
	n.forget(&n.dir)
	n.mu.Lock()
	exit := n.exit
	n.mu.Unlock()
	if exit != nil {
		exit.stop()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if exit == nil || !exit.came {
		n.exit, n.of = nil, ""
	}
}

// listen asks for notices of what is in the way, where this kernel sees every change, and reports whether it asked for one of the
// directory, or that was gone: then another look must follow. It does not in brief contention, nor between the looks that follow a notice.
func (a *acquisition) listen(block obstacle) bool {
	n := &a.notices
	if a.set.try || block.ours || a.rhythm.poll == 0 || a.rhythm.quick > 0 || !a.canListen(block) {
		return false
	}
	a.listenExit(block)
	n.mu.Lock()
	asked := n.dir != nil && n.dirFor == block.name // another stamp may be in another directory, if one above was moved away, say
	n.mu.Unlock()
	if asked {
		return false
	}
	next := &notice{}
	var err error
	next.stop, err = a.WatchDir(a.path, func() { n.tell(next, a.place) })
	n.forget(&n.dir)                    // now: it costs little to watch again what is watched
	gone := fsys.Is(err, fsys.NotExist) // just now, which says nothing of the next one
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		n.dir, n.dirFor = next, block.name
	}
	n.deaf = err != nil && !gone
	return err == nil || gone
}

// listenExit asks for a notice of the owner's end, if that is a living process of this kernel.
func (a *acquisition) listenExit(block obstacle) {
	n := &a.notices
	n.mu.Lock()
	asked := n.of == block.name
	n.mu.Unlock()
	if asked {
		return
	}
	n.forget(&n.exit)
	if block.verdict.Row != stamp.RowAlive || a.WatchExit == nil {
		return
	}
	n.mu.Lock()
	n.of = block.name
	n.mu.Unlock()
	next := &notice{}
	var err error
	if next.stop, err = a.WatchExit(a.self, block.stamp, func() { n.tell(next, a.place) }); err == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.exit = next
	}
}

// tell takes in that a notice came.
func (n *notices) tell(which *notice, to *place) {
	n.mu.Lock()
	which.came = true
	n.mu.Unlock()
	to.stir()
}

// changed reports whether the directory changed since it was last asked, and ends the listening: who comes too late to every release
// of a busy lock had better not hear of each.
func (n *notices) changed() bool {
	n.mu.Lock()
	came := n.dir != nil && n.dir.came
	n.mu.Unlock()
	if came {
		n.forget(&n.dir)
	}
	return came
}

// canListen reports whether this kernel can tell of what is in the way.
func (a *acquisition) canListen(block obstacle) bool {
	return a.traits.Local && a.WatchDir != nil && !a.notices.deaf && block.problem == nil && !block.verdict.Takeover
}

// listening reports whether the directory is listened to.
func (n *notices) listening() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dir != nil
}

// mortal reports whether the kernel will tell of the end of a stamp's owner.
func (n *notices) mortal(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of == name && n.exit != nil && !n.exit.came
}

// exited reports whether the kernel told of that end.
func (n *notices) exited(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.of == name && n.exit != nil && n.exit.came
}
