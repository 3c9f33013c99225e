package notify

import (
	"errors"
	"os"
	"slices"
	"sync"

	"golang.org/x/sys/windows"
)

// exitSystem waits in groups: the system lets one thread wait for 64 handles, one of which is needed to tell it of changes.
type exitSystem struct {
	mu     sync.Mutex
	groups []*group
}

const groupSize = 63

type group struct {
	event   windows.Handle // set whenever watches has changed
	watches []*exitWatch   // at most groupSize. Their handles are closed by the group's goroutine, which waits for them
}

type exitWatch struct {
	sys     *exitSystem
	group   *group
	process windows.Handle
	ended   func()
	closed  bool // nobody wants the notice any more
}

func (s *exitSystem) open(pid int, ended func()) (handle, error) {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // this is how it says that there is none
		return nil, ErrNoProcess
	}
	if err != nil {
		return nil, os.NewSyscallError("OpenProcess", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.groups, func(g *group) bool { return len(g.watches) < groupSize })
	if i < 0 {
		event, err := windows.CreateEvent(nil, 0, 0, nil)
		if err != nil {
			windows.CloseHandle(process)
			return nil, os.NewSyscallError("CreateEvent", err)
		}
		i = len(s.groups)
		s.groups = append(s.groups, &group{event: event})
		go s.wait(s.groups[i])
	}
	w := &exitWatch{sys: s, group: s.groups[i], process: process, ended: ended}
	w.group.watches = append(w.group.watches, w)
	_ = windows.SetEvent(w.group.event)
	return w, nil
}

func (w *exitWatch) over() bool {
	w.sys.mu.Lock()
	defer w.sys.mu.Unlock()
	if w.closed {
		return false
	}
	is, err := windows.WaitForSingleObject(w.process, 0)
	return err == nil && is == windows.WAIT_OBJECT_0
}

func (w *exitWatch) close() {
	w.sys.mu.Lock()
	defer w.sys.mu.Unlock()
	if !w.closed {
		w.closed = true
		_ = windows.SetEvent(w.group.event)
	}
}

func (s *exitSystem) wait(g *group) {
	for {
		handles, waiting := s.next(g)
		if handles == nil {
			return
		}
		i, err := windows.WaitForMultipleObjects(handles, false, windows.INFINITE)
		if err != nil { // it cannot be waited for: all are told, so that none waits in vain, nor this goroutine runs in circles
			for _, w := range waiting {
				w.ended()
			}
			continue
		}
		if i -= windows.WAIT_OBJECT_0; i > 0 && int(i) <= len(waiting) {
			waiting[i-1].ended() // which closes it
		}
	}
}

// next drops the watches that were closed and returns what to wait for, the event first; or nil when nothing is left, and the group with it.
func (s *exitSystem) next(g *group) ([]windows.Handle, []*exitWatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.watches = slices.DeleteFunc(g.watches, func(w *exitWatch) bool {
		if w.closed {
			windows.CloseHandle(w.process)
		}
		return w.closed
	})
	if len(g.watches) == 0 {
		s.groups = slices.DeleteFunc(s.groups, func(other *group) bool { return other == g })
		windows.CloseHandle(g.event)
		return nil, nil
	}
	handles := []windows.Handle{g.event}
	for _, w := range g.watches {
		handles = append(handles, w.process)
	}
	return handles, slices.Clone(g.watches)
}
