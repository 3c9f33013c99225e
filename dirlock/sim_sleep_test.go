package dirlock

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

// sound fails the test unless the lock is held, its stamp is alone in the directory, and it can be released.
func (p *simProc) sound(l *Lock) {
	p.t.Helper()
	if err := l.Check(); err != nil {
		p.t.Errorf("Check: %v", err)
	}
	if err := context.Cause(l.Context()); err != nil {
		p.t.Errorf("its context has ended: %v", err)
	}
	if names := p.names(); len(names) != 1 || names[0] != l.Stamp().Name() {
		p.t.Errorf("on disk: %q, and it is %s", names, l.Stamp().Name())
	}
	p.release(l)
	p.leave()
	p.nothingLeft()
}

// A question that was under way while the lock was taken anew was about the old name. That it is gone is our own doing.
func TestSimQuestionFromBeforeTheSleep(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		time.Sleep(1500 * time.Millisecond)
		asked, answer := make(chan struct{}), make(chan struct{})
		a.on(all(
			first(1, "stat dirlock-1", then(func() { close(asked); <-answer })),
			first(1, "list", then(func() { close(answer); time.Sleep(10 * time.Millisecond) })),
		))
		checked := make(chan error)
		go func() { checked <- l.Check() }()
		<-asked
		a.suspend(time.Hour)
		if err := <-checked; err != nil {
			t.Error("Check:", err)
		}
		a.sound(l)
	})
}

// The answer to unlinking the old name was lost, or the name is gone: nobody can tell which, so it is lost, and nothing is
// left of the new one.
func TestSimOldNameGone(t *testing.T) {
	for what, scene := range map[string]func(*sim, *simProc, *Lock){
		"lost reply": func(s *sim, p *simProc, l *Lock) { p.on(first(1, "unlink dirlock-1", unheard(syscall.ENOENT))) },
		"evicted": func(s *sim, p *simProc, l *Lock) {
			gone := simStamp(l)
			p.on(first(1, "create dirlock-1", then(func() { s.must(s.server.Local().Unlink(gone)) })))
		},
		"EIO": func(s *sim, p *simProc, l *Lock) { p.on(first(1, "unlink dirlock-1", fail(syscall.EIO))) },
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				l := a.acquire(0)
				time.Sleep(1500 * time.Millisecond)
				scene(s, a, l)
				old := l.Stamp()
				a.suspend(time.Hour)
				if err := l.Check(); !errors.Is(err, ErrLost) {
					t.Errorf("Check: %v", err)
				}
				if err := l.Release(); !errors.Is(err, ErrLost) {
					t.Errorf("Release: %v", err)
				}
				if l.Stamp().UUID != old.UUID {
					t.Error("it changed its name and was lost")
				}
				s.nothingLeft()
			})
		})
	}
}

// Release and Check wait until it is settled whether a lock survived the sleep.
func TestSimReleaseWhileTakenAnew(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		time.Sleep(1500 * time.Millisecond)
		a.on(first(1, "create dirlock-1", slow(300*time.Millisecond, 300*time.Millisecond)))
		a.suspend(time.Hour)
		released := make(chan error)
		between(t, "Check's answer", since(func() {
			go func() {
				time.Sleep(100 * time.Millisecond)
				released <- l.Release()
			}()
			if err := l.Check(); err != nil && !errors.Is(err, ErrReleased) {
				t.Error("Check:", err)
			}
		}), 600*time.Millisecond, 700*time.Millisecond)
		if err := <-released; err != nil {
			t.Error("Release:", err)
		}
		s.nothingLeft()
	})
}

// While another stamp is in the directory, in whatever state, a lock that slept is lost.
func TestSimCompanyAfterTheSleep(t *testing.T) {
	for _, errno := range []syscall.Errno{0, syscall.ESTALE, syscall.EIO, syscall.EACCES} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			l := a.acquire(0)
			time.Sleep(1500 * time.Millisecond)
			other := s.forge("two", 7)
			s.must(s.server.Local().Create(other.path, nil, 0o644))
			if errno != 0 {
				a.on(every("stat "+other.name, fail(errno)))
			}
			a.suspend(time.Hour)
			if err := l.Check(); !errors.Is(err, ErrLost) {
				t.Errorf("%v: Check: %v", errno, err)
			}
			_ = l.Release()
			if names := s.names(); len(names) != 1 || names[0] != other.name {
				t.Errorf("%v: on disk: %q", errno, names)
			}
		})
	}
}

// A Check that comes between the end of the lease and the watchdog's word on it does not outwait that by long, however rarely
// the lock beats.
func TestSimCheckJustAfterTheLease(t *testing.T) {
	for _, beat := range []time.Duration{100 * time.Millisecond, 16 * time.Second, 20 * time.Minute} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			m := a.mutex()
			m.Heartbeat, m.Stale = beat, 3*beat
			l, err := m.Acquire(context.Background())
			s.must(err)
			a.on(every("touch", fail(syscall.EIO)))
			const early = 10 * time.Millisecond // so much later the watchdog rings, by timers that did not count the suspend
			time.Sleep(l.beat.Remaining() - early)
			a.suspend(early + time.Millisecond)
			between(t, "the answer", since(func() {
				if err := l.Check(); !errors.Is(err, ErrLost) {
					t.Error("Check:", err)
				}
			}), early, early+min(beat/16, 10*time.Millisecond))
			a.on(nil)
			if err := l.Release(); !errors.Is(err, ErrLost) {
				t.Error("Release:", err)
			}
			s.nothingLeft()
		})
	}
}
