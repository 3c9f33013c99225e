package dirlock

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// One Release of many gives the lock up; the others say so.
func TestSimReleaseConcurrently(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		a.on(every("", slow(0, time.Millisecond)))
		var good atomic.Int32
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				switch err := l.Release(); err {
				case nil:
					good.Add(1)
				case ErrReleased:
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := good.Load(); n != 1 {
			t.Errorf("%d of them gave it up", n)
		}
		if err := l.Check(); err != ErrReleased {
			t.Error("Check:", err)
		}
		if cause := context.Cause(l.Context()); cause != ErrReleased {
			t.Error("cause:", cause)
		}
		s.nothingLeft()
		b := s.proc("two")
		next := b.acquire(0)
		if err := l.Release(); err != ErrReleased {
			t.Error("long after:", err)
		}
		b.sound(next)
	})
}

// What has become of a lock when Release comes: nothing of it is left, it was taken over, others' things stand at the path.
// Release says that the lock was lost, also where no heartbeat has noticed it yet, and changes nothing.
func TestSimReleaseOfTheLost(t *testing.T) {
	dir := "/dir"
	lock := dir + "/lock"
	scenes := map[string]func(*sim, *Lock){
		"removed by hand": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Unlink(lock+"/"+l.Stamp().Name()), c.Rmdir(lock))
		},
		"emptied by hand": func(s *sim, l *Lock) { s.must(s.server.Local().Unlink(lock + "/" + l.Stamp().Name())) },
		"parent gone": func(s *sim, l *Lock) {
			s.must(s.server.Local().Rename(dir, "/moved"))
		},
		"another parent": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Rename(dir, "/moved"), c.Mkdir(dir, 0o755))
		},
		"a script's lock": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Rename(lock, "/moved"), c.Mkdir(lock, 0o755))
		},
		"data": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Rename(lock, "/moved"), c.Mkdir(lock, 0o755), c.Create(lock+"/report.txt", nil, 0o644))
		},
		"droppings": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Rename(lock, "/moved"), c.Mkdir(lock, 0o755), c.Create(lock+"/.DS_Store", nil, 0o644))
		},
		"a vacant directory": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Rename(lock, "/moved"), c.Mkdir(lock, 0o755), c.Create(lock+"/dirlock-vacant", nil, 0o644))
		},
		"a file": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Rename(lock, "/moved"), c.Create(lock, nil, 0o644))
		},
		"taken over": func(s *sim, l *Lock) {
			c := s.server.Local()
			s.must(c.Unlink(lock+"/"+l.Stamp().Name()), c.Create(lock+"/"+s.forge("two", 7).name, nil, 0o644))
		},
	}
	for what, scene := range scenes {
		for _, noticed := range []bool{false, true} {
			t.Run(what, func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					s.must(s.server.Local().Mkdir(dir, 0o755))
					a := s.proc("one")
					m := a.mutex()
					m.Path = lock
					l, err := m.Acquire(context.Background())
					s.must(err)
					time.Sleep(1200 * time.Millisecond)
					scene(s, l)
					if noticed {
						time.Sleep(2 * defaultHeartbeat)
						if l.Context().Err() == nil {
							t.Error("not noticed within two beats")
						}
					}
					before := s.tree("/")
					if err := l.Release(); !errors.Is(err, ErrLost) {
						t.Errorf("Release: %v", err)
					}
					if err := l.Release(); err != ErrReleased {
						t.Errorf("the second: %v", err)
					}
					if after := s.tree("/"); !slices.Equal(before, after) {
						t.Errorf("changed: %q to %q", before, after)
					}
				})
			})
		}
	}
}

// Release needs neither a listing nor a descriptor.
func TestSimReleaseInNeed(t *testing.T) {
	for call, errno := range map[string]syscall.Errno{"list": syscall.EIO, "opendir": syscall.EMFILE} {
		bubble(t, func(t *testing.T, s *sim) {
			a := s.proc("one")
			l := a.acquire(0)
			a.on(every(call, fail(errno)))
			a.release(l)
			s.nothingLeft()
		})
	}
}

// The unlink of the release has its effect and says otherwise, among droppings: the directory goes all the same.
func TestSimReleaseUnheardAmongDroppings(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		s.put(".DS_Store", "._x", "Thumbs.db", "desktop.ini")
		a.on(first(1, "unlink dirlock-1", unheard(syscall.ENOENT)))
		a.release(l)
		s.nothingLeft()
	})
}

// After a loss the stamp, if it is still there, stays until Release: for others in this process the lock is held.
func TestSimStampStaysAfterALoss(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		a.on(every("touch", fail(syscall.EIO)))
		<-l.Context().Done()
		a.on(nil)
		held, _ := errors.AsType[*HeldError](second(a.mutex().TryAcquire()))
		if held == nil || held.Verdict.Reason != "held by this process" {
			t.Errorf("%v", held)
		}
		beats := a.did("touch")
		time.Sleep(10 * defaultHeartbeat)
		if n := a.did("touch"); n != beats {
			t.Errorf("%d beats after the loss", n-beats)
		}
		if err := l.Release(); !errors.Is(err, ErrLost) {
			t.Error(err)
		}
		s.nothingLeft()
	})
}
