//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package notify

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// exitSystem has one kqueue for all processes, and one goroutine, with its thread, that waits at it.
type exitSystem struct {
	mu sync.Mutex
	q  *queue // nil while no process is watched
}

type queue struct {
	fd      int
	quit    *os.File // closed to end the goroutine, which sees the other end of the pipe at its end
	watched map[int]*exitWatch
}

type exitWatch struct {
	sys   *exitSystem
	q     *queue
	pid   int
	ended func()
}

func (s *exitSystem) open(pid int, ended func()) (handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.q == nil {
		q, err := s.start()
		if err != nil {
			return nil, err
		}
		s.q = q
	}
	w := &exitWatch{s, s.q, pid, ended}
	err := change(w.q.fd, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT, unix.NOTE_EXIT)
	if err != nil {
		s.endIfIdle(w.q)
		if errors.Is(err, unix.ESRCH) {
			return nil, ErrNoProcess
		}
		return nil, os.NewSyscallError("kevent", err)
	}
	w.q.watched[pid] = w
	return w, nil
}

// over is not known here before the notice comes. A waiter who joins in the moment between the end of a process and its notice is told of it
// at once, which is true unless the pid was given away in that moment; then it is a notice for nothing.
func (w *exitWatch) over() bool { return false }

func (w *exitWatch) close() {
	w.sys.mu.Lock()
	defer w.sys.mu.Unlock()
	if w.q.watched[w.pid] == w {
		delete(w.q.watched, w.pid)
		_ = change(w.q.fd, w.pid, unix.EVFILT_PROC, unix.EV_DELETE, 0) // ENOENT, ESRCH: the notice is on its way
	}
	w.sys.endIfIdle(w.q)
}

func (s *exitSystem) start() (*queue, error) {
	fd, err := unix.Kqueue() // no child inherits it
	if err != nil {
		return nil, os.NewSyscallError("kqueue", err)
	}
	unix.CloseOnExec(fd)
	end, quit, err := os.Pipe()
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	if err := change(fd, int(end.Fd()), unix.EVFILT_READ, unix.EV_ADD, 0); err != nil {
		unix.Close(fd)
		end.Close()
		quit.Close()
		return nil, os.NewSyscallError("kevent", err)
	}
	q := &queue{fd, quit, map[int]*exitWatch{}}
	go func() {
		q.wait(s)
		end.Close()
	}()
	return q, nil
}

// endIfIdle ends the goroutine, which closes the queue, when nothing is watched. s.mu is held.
func (s *exitSystem) endIfIdle(q *queue) {
	if s.q == q && len(q.watched) == 0 {
		s.q = nil
		q.quit.Close()
	}
}

func (q *queue) wait(s *exitSystem) {
	defer unix.Close(q.fd)
	events := make([]unix.Kevent_t, 16)
	for {
		n, err := unix.Kevent(q.fd, nil, events, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			q.fail(s)
			return
		}
		for _, event := range events[:n] {
			if int32(event.Filter) == unix.EVFILT_READ {
				return
			}
			s.mu.Lock()
			w := q.watched[int(event.Ident)]
			delete(q.watched, int(event.Ident))
			s.mu.Unlock()
			if w != nil {
				w.ended()
			}
		}
	}
}

// fail tells all, when nothing more can be told.
func (q *queue) fail(s *exitSystem) {
	s.mu.Lock()
	all := q.watched
	q.watched = map[int]*exitWatch{}
	s.endIfIdle(q)
	s.mu.Unlock()
	for _, w := range all {
		w.ended()
	}
}

func change(kq, ident, filter, flags int, what uint32) error {
	var event unix.Kevent_t
	unix.SetKevent(&event, ident, filter, flags)
	event.Fflags = what
	for {
		_, err := unix.Kevent(kq, []unix.Kevent_t{event}, nil, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
