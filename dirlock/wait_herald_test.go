package dirlock

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A herald is what the kernel of a simulated machine tells unasked: that something left a directory, that a process has ended.
// As the real one, it tells at the very moment, and under a lock that stopping takes too.
type herald struct {
	sim *sim

	mu        sync.Mutex
	listeners []*listener
	asked     map[string]int          // how many watches were asked for, "dir" and "exit"
	refuse    map[string]func() error // what a watch is refused with
	mute      map[string]bool         // whose notices are lost
}

// A listener is one watch that was granted and not stopped.
type listener struct {
	path string // of the directory; "": it waits for an exit
	of   simKey
	over bool // the directory is gone
	tell func()
}

// herald makes the processes those of one kernel, which tells them.
func (s *sim) herald(procs ...*simProc) *herald {
	h := &herald{sim: s, asked: map[string]int{}, refuse: map[string]func() error{}, mute: map[string]bool{}}
	for _, p := range procs {
		p.World.WatchDir, p.World.WatchExit = h.watchDir, h.watchExit
		p.World.FS = faultfs.New(p.World.FS, func(op faultfs.Op) (func(error) error, error) {
			return func(err error) error {
				if err == nil && (op.Call == "unlink" || op.Call == "rmdir") {
					h.gone(op.Path)
				}
				return err
			}, nil
		})
	}
	return h
}

func (h *herald) watchDir(p string, wake func()) (func(), error) {
	if _, there := h.sim.server.Lookup(p); !there {
		h.count("dir")
		return nil, &fs.PathError{Op: "watch", Path: p, Err: syscall.ENOENT}
	}
	return h.watch("dir", &listener{path: p, tell: wake})
}

func (h *herald) watchExit(_ stamp.Identity, s stamp.Stamp, exited func()) (func(), error) {
	key := simKey{s.Boot, s.PID}
	h.sim.mu.Lock()
	p := h.sim.kernels[key]
	h.sim.mu.Unlock()
	if p == nil || p.isDead() {
		h.count("exit")
		return nil, notify.ErrNoProcess
	}
	return h.watch("exit", &listener{of: key, tell: exited})
}

func (h *herald) count(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[what]++
}

func (h *herald) watch(what string, l *listener) (func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[what]++
	if refuse := h.refuse[what]; refuse != nil {
		if err := refuse(); err != nil {
			return nil, err
		}
	}
	h.listeners = append(h.listeners, l)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.listeners = slices.DeleteFunc(h.listeners, func(o *listener) bool { return o == l })
	}, nil
}

// gone tells of an entry that left its directory, and of a directory that is no more.
func (h *herald) gone(p string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.listeners {
		if l.path != "" && !l.over && !h.mute["dir"] && (l.path == p || l.path == path.Dir(p)) {
			l.tell()
		}
		l.over = l.over || l.path == p
	}
}

// exited tells of the end of a process, be it true or not.
func (h *herald) exited(p *simProc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.listeners {
		if l.path == "" && l.of == (simKey{p.id.Boot, p.id.PID}) && !h.mute["exit"] {
			l.tell()
		}
	}
}

// numbers are how many watches were asked for, and how many are still there.
func (h *herald) numbers(what string) (asked, left int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.listeners {
		if (l.path != "") == (what == "dir") {
			left++
		}
	}
	return h.asked[what], left
}

// hushed fails the test unless somebody listened, and nobody does any more.
func (h *herald) hushed(t *testing.T) {
	t.Helper()
	synctest.Wait()
	for _, what := range []string{"dir", "exit"} {
		if asked, left := h.numbers(what); asked == 0 || left != 0 {
			t.Errorf("%s: %d watches were asked for, and %d are left", what, asked, left)
		}
	}
}

// idle fails the test unless the process keeps nothing of those who waited.
func (p *simProc) idle() {
	p.t.Helper()
	synctest.Wait()
	p.lines.mu.Lock()
	defer p.lines.mu.Unlock()
	for _, s := range []*slots{&p.paths, &p.process.mounts} {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	if l, q, m := len(p.lines.m), len(p.paths.m), len(p.process.mounts.m); l+q+m != 0 {
		p.t.Errorf("%s: left: %d lines, %d slots of paths, %d of mounts", p.name, l, q, m)
	}
}

// calls is how many calls to the file system the process has made, but for those that ask this kernel for the time.
func (p *simProc) calls() (n int) {
	all := p.did("")
	return all - p.did("clock")
}

var errNoWatch = errors.New("simulated: no watch")
