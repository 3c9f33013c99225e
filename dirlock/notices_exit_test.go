package dirlock

import (
	"testing"
	"testing/synctest"
	"time"
)

// Where the kernel does not tell of exits, a dead holder's missing beats do, all the same.
func TestExitCannotBeWatched(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		h.refuse["exit"] = func() error { return errNoWatch }
		a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(10 * time.Second)
		a.die()
		died := time.Now()
		got := <-had
		s.must(got.err)
		between(t, "the takeover", got.at.Sub(died), 2*time.Second, 3*time.Second+beatPoll)
		b.sound(got.lock)
	})
}

// A notice of the exit that is lost costs what it costs to have none, and a poll.
func TestLostNoticeOfAnExit(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(10 * time.Second)
		h.mute["exit"] = true
		a.die()
		died := time.Now()
		h.exited(a)
		got := <-had
		s.must(got.err)
		between(t, "the takeover", got.at.Sub(died), 2*time.Second, 3*time.Second+safetyPoll)
		b.sound(got.lock)
		h.hushed(t)
	})
}

// Told of the exit, and the kernel says that the process is gone: a takeover at once, however fresh the heartbeat.
func TestNoticeOfAnExit(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		m := a.mutex()
		m.Heartbeat, m.Stale = 5*time.Minute, 20*time.Minute
		l, err := m.Acquire(t.Context())
		s.must(err)
		a.enter(l)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(10 * time.Second)
		a.die()
		died := time.Now()
		h.exited(a)
		got := <-had
		s.must(got.err)
		between(t, "the takeover", got.at.Sub(died), 0, 0)
		b.sound(got.lock)
		h.hushed(t)
	})
}

// A notice of an exit that the kernel does not confirm takes nothing over, and the waiter does not spin for it. When the holder
// dies at last, its missing beats tell.
func TestFalseNoticeOfAnExit(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host")
		h := s.herald(a, b)
		a.acquire(0)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(10 * time.Second)
		before := b.calls()
		for range 10 {
			h.exited(a)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := b.calls() - before; n > 10*(1+2) {
			t.Errorf("%d calls in 10 s with 10 notices", n)
		}
		select {
		case got := <-had:
			t.Fatal("it was not waited for the end of the living:", got.err)
		default:
		}
		a.die()
		died := time.Now()
		got := <-had
		s.must(got.err)
		between(t, "the takeover", got.at.Sub(died), 0, 3*time.Second+beatPoll)
		b.sound(got.lock)
		h.hushed(t)
	})
}
