package dirlock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// contained starts a process in a container on a host: pid 7, as all are.
func (s *sim) contained(host string, container uint64) *simProc {
	s.mu.Lock()
	s.pids++
	start := uint64(s.pids)
	s.mu.Unlock()
	id := stamp.Identity{PID: 7, Start: start, PIDNS: 4026532000 + container, Host: fmt.Sprintf("%s-%d", host, container)}
	copy(id.Boot[:], host)
	return s.procAs(id)
}

// spare is how many guards the process has not reserved.
func (p *simProc) spare() int {
	p.process.mu.Lock()
	defer p.process.mu.Unlock()
	return p.Guards - p.guards
}

// guarded reports whether a stamp promises a guard, and has one.
func (s *sim) guarded(p string, of stamp.Stamp) (promised, has bool) {
	return of.Guarded(), s.server.Guarded(path.Join(p, of.Name()))
}

// at acquires another lock.
func (p *simProc) acquireAt(path string) *Lock {
	p.t.Helper()
	l, err := (&Mutex{Path: path, process: p.process}).Acquire(context.Background())
	p.must(err)
	return l
}

// Guards take descriptors: there is a bound, and who is past it does without.
func TestGuardsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p := s.proc("host")
		p.Guards = 2
		var locks []*Lock
		for i, want := range []bool{true, true, false} {
			at := fmt.Sprintf("/lock%d", i)
			l := p.acquireAt(at)
			if promised, has := s.guarded(at, l.Stamp()); promised != want || has != want {
				t.Errorf("lock %d promises a guard: %v, and has one: %v", i, promised, has)
			}
			locks = append(locks, l)
		}
		p.release(locks[0])
		l := p.acquireAt("/lock0")
		if promised, has := s.guarded("/lock0", l.Stamp()); !promised || !has {
			t.Errorf("what was given back is not used again: %v %v", promised, has)
		}
		for _, l := range []*Lock{l, locks[1], locks[2]} {
			p.release(l)
		}
		if p.spare() != 2 {
			t.Errorf("%d are left of 2", p.spare())
		}
	})
}

// Who does not get its guard leaves, and comes again without: at once, whatever was wrong.
func TestGuardNotHad(t *testing.T) {
	for what, c := range map[string]struct {
		err   error // nil: somebody probes it
		again bool  // the next acquisition tries once more
	}{
		"somebody probes": {nil, true},
		"evicted":         {syscall.ENOENT, true},
		"no descriptor":   {syscall.EMFILE, true},
		"refused":         {syscall.EPERM, false},
		"not to be had":   {syscall.ENOSYS, false},
		"an error":        {syscall.EIO, false},
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				p := s.proc("host")
				var probe io.Closer
				p.on(first(1, "guard dirlock-1", func(op faultfs.Op) (func(error) error, error) {
					if c.err != nil {
						return nil, c.err
					}
					d, err := p.client.OpenDir(simPath)
					s.must(err)
					defer d.Close()
					probe, err = d.Probe(path.Base(op.Path))
					s.must(err)
					return nil, nil
				}))
				var l *Lock
				if took := since(func() { l = p.acquire(time.Second) }); took > time.Millisecond {
					t.Errorf("it took %v", took)
				}
				if promised, has := s.guarded(simPath, l.Stamp()); promised || has || p.spare() != p.Guards {
					t.Errorf("the next stamp promises a guard: %v, and has one: %v; %d are spare", promised, has, p.spare())
				}
				if probe != nil {
					_ = probe.Close()
				}
				p.sound(l)
				l = p.acquire(0)
				if promised, _ := s.guarded(simPath, l.Stamp()); promised != c.again {
					t.Errorf("the next acquisition has a guard: %v", promised)
				}
				p.sound(l)
				if p.spare() != p.Guards {
					t.Errorf("%d of %d are left", p.spare(), p.Guards)
				}
			})
		})
	}
}

// Whatever goes wrong with an acquisition, no descriptor is kept.
func TestGuardIsGivenBack(t *testing.T) {
	for _, call := range []string{"create dirlock-1", "guard dirlock-1", "list", "stat dirlock-1", "touch dirlock-1"} {
		for what, f := range map[string]fault{"fails": fail(syscall.EIO), "unheard": unheard(syscall.EIO)} {
			t.Run(call+" "+what, func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					p := s.proc("host")
					p.on(first(1, call, f))
					m := p.mutex()
					m.Wait = time.Second
					if l, err := m.Acquire(context.Background()); err == nil {
						p.release(l)
					}
					if p.spare() != p.Guards {
						t.Errorf("%d of %d are left", p.spare(), p.Guards)
					}
					time.Sleep(2 * strayFor)
					s.nothingLeft()
				})
			})
		}
	}
}

// A holder whose lease has run out has until Stale to stop: its guard is there until it says that it has.
func TestGuardOutlivesTheLease(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		l := p.acquire(0)
		p.on(every("touch", fail(syscall.EIO)))
		<-l.Context().Done()
		lost := time.Now()
		if _, has := s.guarded(simPath, l.Stamp()); !has {
			t.Error("it has lost the lock, and its guard already")
		}
		theirs := q.acquire(time.Minute)
		if took := time.Since(lost); took < defaultStale/3-time.Second {
			t.Errorf("it was taken over %v after its lease had run out", took)
		}
		if err := l.Release(); !errors.Is(err, ErrLost) || p.spare() != p.Guards {
			t.Errorf("%v; %d of %d are left", err, p.spare(), p.Guards)
		}
		q.release(theirs)
		s.nothingLeft()
	})
}

// A stamp that is gone needs no guard.
func TestGuardGoesWithItsStamp(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p := s.proc("host")
		l := p.acquire(0)
		s.must(s.server.Local().Unlink(simStamp(l)))
		<-l.Context().Done()
		time.Sleep(time.Millisecond)
		if p.spare() != p.Guards {
			t.Errorf("%d of %d are left after the loss", p.spare(), p.Guards)
		}
		if err := l.Release(); !errors.Is(err, ErrLost) || p.spare() != p.Guards {
			t.Errorf("%v; %d of %d are left", err, p.spare(), p.Guards)
		}
	})
}

// What is taken anew has a guard of its own. Without one to be had it is lost, as somebody takes it for dead.
func TestGuardTakenAnew(t *testing.T) {
	for what, broken := range map[string]fault{"": nil, "probed": fail(syscall.EAGAIN), "gone": fail(syscall.ENOENT)} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				p := s.proc("host")
				l := p.acquire(0)
				old := l.Stamp()
				if broken != nil {
					p.on(first(1, "guard dirlock-1", broken))
				}
				time.Sleep(1500 * time.Millisecond)
				p.suspend(time.Hour)
				err := l.Check()
				promised, has := s.guarded(simPath, l.Stamp())
				switch {
				case broken == nil && (err != nil || l.Stamp().UUID == old.UUID || !promised || !has || p.spare() != p.Guards-1):
					t.Errorf("%v; guard promised %v, had %v; %d of %d left", err, promised, has, p.spare(), p.Guards)
				case broken != nil && !errors.Is(err, ErrLost):
					t.Errorf("held without a guard that its name promises: %v", err)
				}
				if err := l.Release(); (err == nil) != (broken == nil) || p.spare() != p.Guards {
					t.Errorf("%v; %d of %d are left", err, p.spare(), p.Guards)
				}
				p.leave()
				s.nothingLeft()
			})
		})
	}
}

// A stamp that its owner cannot remove has no guard any more, so that others may.
func TestGuardOfAStray(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		p, q := s.contained("host", 1), s.contained("host", 2)
		l := p.acquire(0)
		p.on(every("unlink", fail(syscall.EIO)))
		if err := l.Release(); err == nil {
			t.Error("released without an error")
		}
		p.leave()
		var theirs *Lock
		between(t, "taken over", since(func() { theirs = q.acquire(0) }), 2*time.Second, 3100*time.Millisecond)
		q.release(theirs)
		p.on(nil)
	})
}
