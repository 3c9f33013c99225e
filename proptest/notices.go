package proptest

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// A listener is a process that asked its kernel to tell it something: that an entry left a directory, or that a process ended. As
// on a real kernel it is told of the directory that was at the path when it asked, and not of one that came after.
type listener struct {
	p    *Proc
	tell func()

	dir string
	ino uint64
	of  *Proc
}

var errNobody = errors.New("proptest: nothing there to listen to")

// watchDir is the kernel's offer to tell of what leaves a directory.
func (p *Proc) watchDir(at string, wake func()) (func(), error) {
	info, ok := p.w.server.Lookup(at)
	if !ok {
		return nil, &fs.PathError{Op: "watch", Path: at, Err: errnos["ENOENT"]}
	}
	return p.w.listen(&listener{p: p, tell: wake, dir: at, ino: info.Ino}), nil
}

// watchExit is the kernel's offer to tell of the end of a process. Now and then it tells of one that lives, as a pidfd does of one
// that another thread's execve makes anew: a notice is a reason to ask, and no answer.
func (p *Proc) watchExit(_ stamp.Identity, s stamp.Stamp, exited func()) (func(), error) {
	p.w.mu.Lock()
	i := slices.IndexFunc(p.w.procs, func(q *Proc) bool {
		return !q.dead && p.sameKernel(q) && q.id.PID == s.PID && q.id.Start == s.Start
	})
	p.listened++
	lie := p.listened%lieEvery == 0
	var of *Proc
	if i >= 0 {
		of = p.w.procs[i]
	}
	p.w.mu.Unlock()
	if of == nil {
		return nil, errNobody
	}
	if lie {
		exited()
	}
	return p.w.listen(&listener{p: p, tell: exited, of: of}), nil
}

// lieEvery is how often a notice of an exit comes for nothing.
const lieEvery = 3

func (w *World) listen(l *listener) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.listeners = append(w.listeners, l)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.listeners = slices.DeleteFunc(w.listeners, func(o *listener) bool { return o == l })
	}
}

// tell tells those listeners that are meant.
func (w *World) tell(meant func(*listener) bool) {
	w.mu.Lock()
	var told []*listener
	for _, l := range w.listeners {
		if meant(l) {
			told = append(told, l)
		}
	}
	w.mu.Unlock()
	for _, l := range told {
		l.tell()
	}
}

// left is what a call is about to take out of which directory.
type left struct{ dir, self uint64 }

func (w *World) leaving(c *call) left {
	var of left
	if c.op != "unlink" && c.op != "rmdir" && c.op != "rename" {
		return of
	}
	if info, ok := w.server.Lookup(path.Dir(c.path)); ok {
		of.dir = info.Ino
	}
	if info, ok := w.server.Lookup(c.path); ok {
		of.self = info.Ino
	}
	return of
}

// has tells of a call that had its effect.
func (w *World) has(c *call, of left) {
	if of.self == 0 {
		return
	}
	if now, ok := w.server.Lookup(c.path); ok && now.Ino == of.self { // it is still there
		return
	}
	w.tell(func(l *listener) bool {
		return l.of == nil && (l.ino == of.dir && l.dir == path.Dir(c.path) || l.ino == of.self)
	})
}

// exited tells of the end of a process, and lets those who were told take over at once what it held.
func (w *World) exited(p *Proc) {
	w.tell(func(l *listener) bool {
		if l.of == p {
			l.p.told = append(l.p.told, p)
			return true
		}
		return false
	})
}
