package dirlock

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// quickLooks is how long the looks that follow a notice last at most.
const quickLooks = 1250 * time.Microsecond

// An outcome is what a call of Acquire in the background came to, and when.
type outcome struct {
	lock *Lock
	err  error
	at   time.Time
}

func (p *simProc) goes(ctx context.Context, m *Mutex) <-chan outcome {
	c := make(chan outcome, 1)
	go func() {
		l, err := m.Acquire(ctx)
		if err == nil {
			p.enter(l)
		}
		c <- outcome{l, err, time.Now()}
	}()
	return c
}

// patient is a mutex that waits for as long as it takes.
func (p *simProc) patient() *Mutex {
	m := p.mutex()
	m.Wait = -1
	return m
}

// A release is told of: the waiter has the lock before it would have looked, whenever it comes, and however long the holder takes
// from removing its stamp to removing the directory.
func TestNoticeOfARelease(t *testing.T) {
	for _, after := range []time.Duration{30 * time.Millisecond, time.Second, 7300 * time.Millisecond, time.Minute} {
		for _, took := range []time.Duration{0, 40 * time.Microsecond, 200 * time.Microsecond, time.Millisecond, 100 * time.Millisecond} {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.proc("host"), s.proc("host")
				h := s.herald(a, b)
				l := a.acquire(0)
				had := b.goes(t.Context(), b.patient())
				time.Sleep(after)
				a.on(every("rmdir", slow(took, 0)))
				a.leave()
				released := time.Now()
				a.release(l)
				got := <-had
				s.must(got.err)
				most := took + 200*time.Microsecond
				if took >= 200*time.Microsecond {
					most = took + time.Millisecond
				}
				if took > quickLooks {
					most = took + 100*time.Microsecond // it listens again by then
				}
				between(t, "the lock, released after "+after.String()+" in "+took.String()+",", got.at.Sub(released), took, most)
				b.sound(got.lock)
				h.hushed(t)
				b.idle()
			})
		}
	}
}

// While nothing happens, one who is told looks only from time to time, and reads once what the holder says.
func TestFewLooksWhileListening(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		s.herald(a, b)
		l := a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(time.Second)
		before := b.calls()
		const long = 50 * safetyPoll
		time.Sleep(long)
		if n := b.calls() - before; n < 50 || n > 101 {
			t.Errorf("%d calls in %v, want one every %v at least, and not two", n, long, safetyPoll)
		}
		if n := b.did("read"); n != 1 {
			t.Errorf("the holder's content was read %d times", n)
		}
		a.leave()
		a.release(l)
		b.sound((<-had).lock)
	})
}

// A notice that is lost costs a poll.
func TestLostNotice(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		h.mute["dir"] = true
		l := a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(7300 * time.Millisecond)
		a.leave()
		released := time.Now()
		a.release(l)
		got := <-had
		between(t, "the lock", got.at.Sub(released), time.Microsecond, safetyPoll)
		b.sound(got.lock)
		h.hushed(t)
	})
}

// Where the directory cannot be watched the waiter polls, and says nothing. It does not ask again.
func TestDirectoryCannotBeWatched(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EMFILE, syscall.EACCES} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("host"), s.proc("host")
			h := s.herald(a, b)
			h.refuse["dir"] = func() error { return errno }
			l := a.acquire(0)
			had := b.goes(t.Context(), b.patient())
			time.Sleep(7300 * time.Millisecond)
			a.leave()
			released := time.Now()
			a.release(l)
			got := <-had
			s.must(got.err)
			between(t, "the lock", got.at.Sub(released), 0, lastPoll)
			b.sound(got.lock)
			if n, _ := h.numbers("dir"); n != 1 {
				t.Errorf("%v: a watch was asked for %d times", errno, n)
			}
			b.idle()
		})
	}
}

// That the directory was gone when it was to be watched means that it was released just then. The next one is watched again.
func TestGoneWhenItWasToBeWatched(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		times := 0
		h.refuse["dir"] = func() error {
			if times++; times == 1 {
				return syscall.ENOENT
			}
			return nil
		}
		l := a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(7300 * time.Millisecond)
		a.leave()
		released := time.Now()
		a.release(l)
		got := <-had
		s.must(got.err)
		between(t, "the lock", got.at.Sub(released), 0, quickLooks)
		b.sound(got.lock)
	})
}

// Whoever comes too late to every release of a busy lock backs off, but not for longer than busyPoll.
func TestBusyLock(t *testing.T) {
	for _, every := range []time.Duration{300 * time.Microsecond, time.Millisecond, 7 * time.Millisecond} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("host"), s.proc("host") // a's are the stamps
			h := s.herald(a, b)
			c := s.server.Local()
			holder := s.forge("host", a.id.PID).plant("")
			ctx, cancel := context.WithCancel(t.Context())
			had := b.goes(ctx, b.patient())
			looks, largest, last := 0, time.Duration(0), time.Now()
			b.on(func(op faultfs.Op) (func(error) error, error) {
				if op.Call == "mkdir" {
					looks++
					largest = max(largest, time.Since(last))
					last = time.Now()
				}
				return nil, nil
			})
			for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(every) {
				next := s.forge("host", a.id.PID)
				s.must(c.Unlink(holder.path), c.Rmdir(simPath))
				holder = next.plant("")
				h.gone(simPath + "/" + holder.name)
				h.gone(simPath)
			}
			synctest.Wait()
			if least, most := int(10*time.Second/(busyPoll+every)), int(2*10*time.Second/(busyPoll/2)); looks < least || looks > most {
				t.Errorf("a new holder every %v: %d looks in 10 s, want %d to %d", every, looks, least, most)
			}
			if most := busyPoll + every + quickLooks; largest > most {
				t.Errorf("a new holder every %v: %v without a look, want %v at most", every, largest, most)
			}
			cancel()
			if got := <-had; !errors.Is(got.err, ErrHeld) {
				t.Error(got.err)
			}
			h.hushed(t)
		})
	}
}

// What happened between the look and the beginning of the watch was not heard: a second look sees it, also where the directory stays,
// for what lies in it, so that no other notice follows.
func TestReleaseJustBeforeTheWatch(t *testing.T) {
	for _, junk := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("host"), s.proc("host")
			s.herald(a, b)
			l := a.acquire(0)
			if junk {
				s.put("report.txt")
			}
			var released time.Time
			grant := b.World.WatchDir
			b.World.WatchDir = func(path string, wake func()) (func(), error) {
				if released.IsZero() {
					released = time.Now()
					a.leave()
					a.release(l)
				}
				return grant(path, wake)
			}
			got := <-b.goes(t.Context(), b.patient())
			s.must(got.err)
			between(t, "the lock", got.at.Sub(released), 0, 0)
			b.release(got.lock)
		})
	}
}
