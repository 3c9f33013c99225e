package dirlock

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// A waiter in another pid namespace of the same kernel has the lock two beats after the last one of a holder that it has watched, three
// after that of one that it has not.
func TestAcrossDead(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		p.acquire(0)
		got := q.goes(s.ctx, q.patient())
		time.Sleep(10300 * time.Millisecond)
		p.die()
		var o outcome
		between(t, "taken over by who watched", since(func() { o = <-got }), time.Second, 1800*time.Millisecond)
		s.must(o.err)
		time.Sleep(10300 * time.Millisecond)
		q.die()
		r := s.contained("host", 3)
		var l *Lock
		between(t, "taken over by a newcomer", since(func() { l = r.acquire(0) }), 2*time.Second, 2800*time.Millisecond)
		time.Sleep(10300 * time.Millisecond)
		r.die()
		time.Sleep(4 * time.Second)
		u := s.contained("host", 4)
		if l, err := u.mutex().TryAcquire(); err != nil {
			t.Errorf("who comes late need not wait: %v", err)
		} else {
			u.release(l)
		}
		_ = l
		s.nothingLeft()
	})
}

// Who lives and beats is asked once whether there is a guard, and then left in peace; who is stopped is asked, and keeps the lock until the
// mtime rule lets it go.
func TestAcrossAlive(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		l := p.acquire(0)
		got := q.goes(s.ctx, q.patient())
		time.Sleep(time.Minute)
		if n := q.did("probe"); n != 1 {
			t.Errorf("asked %d times of one that beats", n)
		}
		p.pause()
		stopped := time.Now()
		o := <-got
		s.must(o.err)
		between(t, "taken over", time.Since(stopped), defaultStale-2*time.Second, defaultStale+7*time.Second)
		if n := q.did("probe"); n < 20 || n > 200 {
			t.Errorf("asked %d times of one that is silent for half a minute", n)
		}
		q.release(o.lock)
		p.resume()
		if err := l.Release(); !errors.Is(err, ErrLost) {
			t.Error(err)
		}
	})
}

// Brief contention is not slowed down by asking.
func TestAcrossNotAskedInBriefContention(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		for range 20 {
			l := p.acquire(0)
			got := q.goes(s.ctx, q.patient())
			time.Sleep(300 * time.Millisecond)
			p.release(l)
			p.leave()
			o := <-got
			s.must(o.err)
			q.release(o.lock)
		}
		if n := q.did("probe"); n > 0 {
			t.Errorf("asked %d times", n)
		}
	})
}

// What is not asked, or says nothing, leaves it to the mtime rule.
func TestAcrossNoProof(t *testing.T) {
	for what, c := range map[string]struct {
		set    func(s *sim, p, q *simProc)
		probes bool
	}{
		"another boot":                      {func(s *sim, p, q *simProc) { q.id.Boot[0]++; q.client.Kernel = "" }, false},
		"a boot that is not known":          {func(s *sim, p, q *simProc) { q.id.Boot = stamp.Boot{} }, false},
		"no guard":                          {func(s *sim, p, q *simProc) { p.Guards = 0 }, false},
		"a mount without guards":            {func(s *sim, p, q *simProc) { q.client.Kind.Guards = false }, false},
		"a holder's mount without guards":   {func(s *sim, p, q *simProc) { p.client.Kind.Guards = false }, false},
		"the stamp cannot be opened":        {func(s *sim, p, q *simProc) { q.on(every("probe", fail(syscall.EACCES))) }, true},
		"there is no descriptor":            {func(s *sim, p, q *simProc) { q.on(every("probe", fail(syscall.EMFILE))) }, true},
		"the lock is kept by who knows who": {func(s *sim, p, q *simProc) { p.lies.heir = true }, true},
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				p, q := s.contained("host", 1), s.contained("host", 2)
				c.set(s, p, q)
				p.acquire(0)
				time.Sleep(time.Second)
				p.die()
				var l *Lock
				m := q.patient()
				m.Wait = -1
				between(t, "taken over", since(func() { o := <-q.goes(s.ctx, m); s.must(o.err); l = o.lock }), defaultStale-2*time.Second, defaultStale+7*time.Second)
				if (q.did("probe") > 0) != c.probes {
					t.Errorf("asked %d times", q.did("probe"))
				}
				q.release(l)
				s.nothingLeft()
			})
		})
	}
}

// A group that works under the lock has no part in the guard.
func TestAcrossGroup(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		p.Lead = func(int) (uint64, error) { return 1, nil }
		m := p.mutex()
		m.Group = 77
		_, err := m.Acquire(context.Background())
		s.must(err)
		time.Sleep(time.Second)
		p.kill()
		m = q.patient()
		m.Wait = defaultStale - 2*time.Second
		if o := <-q.goes(s.ctx, m); !errors.Is(o.err, ErrHeld) || q.did("probe") > 0 {
			t.Errorf("%v; asked %d times", o.err, q.did("probe"))
		}
	})
}

// Where the guard proves nothing the table of processes may: not before three beats are missing, and once a second at most.
func TestAcrossByTheTableOfProcesses(t *testing.T) {
	for _, dead := range []bool{true, false} {
		bubble(t, func(t *testing.T, s *sim) {
			p, q := s.contained("host", 1), s.proc("host")
			p.Guards = 0
			var asked atomic.Int32
			var when []time.Time
			q.AskAcross = func(_ stamp.Identity, about stamp.Stamp) stamp.Evidence {
				asked.Add(1)
				when = append(when, time.Now())
				if about.PID == 7 && dead && p.isDead() {
					return stamp.Evidence{Answer: stamp.Dead, How: "simulated: not in the table"}
				}
				return stamp.Evidence{Answer: stamp.Alive, How: "simulated: in the table"}
			}
			p.acquire(0)
			got := q.goes(s.ctx, q.patient())
			time.Sleep(10300 * time.Millisecond)
			if asked.Load() > 0 {
				t.Error("asked about one that beats")
			}
			p.die()
			took := since(func() { o := <-got; s.must(o.err); q.release(o.lock) })
			if dead {
				between(t, "taken over", took, 2*time.Second, 3700*time.Millisecond)
				return
			}
			between(t, "taken over", took, defaultStale-2*time.Second, defaultStale+7*time.Second)
			for i := range when {
				if i > 0 && when[i].Sub(when[i-1]) < acrossEvery {
					t.Errorf("asked again after %v", when[i].Sub(when[i-1]))
				}
			}
			if n := asked.Load(); n < 15 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// That a process group has only zombies must be seen twice, a beat apart.
func TestAcrossZombiesTwice(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.proc("host")
		q.AskAcross = func(stamp.Identity, stamp.Stamp) stamp.Evidence {
			return stamp.Evidence{Zombies: true, How: "simulated: zombies"}
		}
		p.Guards = 0
		p.acquire(0)
		got := q.goes(s.ctx, q.patient())
		time.Sleep(10300 * time.Millisecond)
		p.die()
		between(t, "taken over", since(func() { o := <-got; s.must(o.err); q.release(o.lock) }), 3*time.Second, 6*time.Second)
	})
}

// Who only looks tries a guard only of one that is silent, and says what came of it.
func TestAcrossInspect(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		l := p.acquire(0)
		look := func(want State, text string, probes int) {
			t.Helper()
			before := s.tree("/")
			r, err := q.mutex().Inspect()
			s.must(err)
			if r.State != want || !strings.Contains(r.Reason, text) {
				t.Errorf("%s: %s; want %s, %q", r.State, r.Reason, want, text)
			}
			if !slices.Equal(before, s.tree("/")) {
				t.Error("it changed something")
			}
			if n := q.did("probe"); n != probes {
				t.Errorf("asked %d times by now, not %d", n, probes)
			}
		}
		look(StateHeld, "on another host or in another pid namespace", 0)
		l.beat.Stop()
		time.Sleep(4 * time.Second)
		look(StateSuspect, "its stamp is locked", 1)
		p.die()
		look(StateStale, "in another pid namespace of this kernel, is dead (the lock on its stamp was dropped)", 2)
		if s.server.Guarded(simStamp(l)) {
			t.Error("it is guarded")
		}
		u := s.contained("host", 3)
		theirs, err := u.mutex().TryAcquire() // nothing that the look left keeps anybody out
		s.must(err)
		u.release(theirs)
	})
}
