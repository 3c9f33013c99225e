package dirlock

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/faultfs"
)

// sweeping reports whether the process still has a goroutine for its strays.
func (p *simProc) sweeping() bool {
	p.process.mu.Lock()
	defer p.process.mu.Unlock()
	return len(p.sweepers) > 0
}

// A create that answers with an error lands at once, or never. The caller hears of the error, nothing is left behind, and
// nothing is chased for ever.
func TestSimCreateFails(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ETIMEDOUT, syscall.EINTR, syscall.EACCES, syscall.ENOSPC} {
		for what, f := range map[string]fault{"at once": unheard(errno), "never": fail(errno)} {
			t.Run(fmt.Sprint(errno, "/", what), func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					a := s.proc("one")
					a.on(first(1, "create dirlock-1", f))
					if _, err := a.mutex().Acquire(context.Background()); !errors.Is(err, errno) || errors.Is(err, ErrHeld) {
						t.Fatal(err)
					}
					s.nothingLeft()
					a.release(a.acquire(0))
					time.Sleep(strayFor + 2*strayEvery)
					if a.sweeping() {
						t.Error("it is still being chased")
					}
				})
			})
		}
	}
}

// It lands later, in a directory that nobody uses or that another process holds by then: it is removed a moment after, and
// the living process's own host is not locked out.
func TestSimCreateLandsLate(t *testing.T) {
	for _, late := range []time.Duration{10 * time.Millisecond, 5 * time.Second, strayFor - 2*time.Second} {
		for _, holder := range []string{"", "one", "two"} {
			t.Run(fmt.Sprint(late, "/", holder), func(t *testing.T) {
				bubble(t, func(t *testing.T, s *sim) {
					a := s.proc("one")
					a.on(first(1, "create dirlock-1", s.lands(late, syscall.ETIMEDOUT)))
					if _, err := a.mutex().TryAcquire(); !errors.Is(err, syscall.ETIMEDOUT) {
						t.Fatal(err)
					}
					s.nothingLeft()
					var b *simProc
					var l *Lock
					if holder != "" {
						b = s.proc(holder)
						l = b.acquire(0)
					}
					time.Sleep(late + strayEvery + 100*time.Millisecond)
					if holder != "" {
						b.sound(l)
					}
					s.nothingLeft()
					time.Sleep(2 * strayEvery)
					if a.sweeping() {
						t.Error("it is still being chased")
					}
				})
			})
		}
	}
}

// The next acquisition of the same process does not wait for the one who chases it.
func TestSimStrayAtSight(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		a.on(first(1, "create dirlock-1", s.lands(10*time.Millisecond, syscall.EIO)))
		if _, err := a.mutex().TryAcquire(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		l, err := a.mutex().TryAcquire()
		s.must(err)
		a.sound(l)
	})
}

// How long a create may take to land is for Stale to say.
func TestSimStrayOfALongStale(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("one")
		m := a.mutex()
		m.Heartbeat, m.Stale = 10*time.Second, 5*time.Minute
		a.on(first(1, "create dirlock-1", s.lands(4*time.Minute, syscall.EIO)))
		if _, err := m.TryAcquire(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		time.Sleep(4*time.Minute + 2*strayEvery)
		s.nothingLeft()
		b.release(b.acquire(0))
		time.Sleep(2 * time.Minute)
	})
}

// One that cannot be removed is given up after Stale, and said to be of this process, which holds nothing: the mtime rule
// frees it for this process's next acquisition, also when it is not remembered any more.
func TestSimStrayThatStays(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a := s.proc("one")
		l := a.acquire(0)
		a.leave()
		a.on(every("unlink dirlock-1", fail(syscall.EIO)))
		if err := l.Release(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		time.Sleep(strayFor + 3*strayEvery)
		if a.sweeping() {
			t.Error("it is still being chased")
		}
		a.on(nil)
		between(t, "the repair", since(func() { l = a.acquire(0) }), 6*time.Second, 6500*time.Millisecond)
		a.sound(l)
	})
}

// A stray among somebody's things: when it is removed at last the directory is free, and is not taken for data.
func TestSimStrayAmongJunk(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("one"), s.proc("two")
		a.on(first(1, "create dirlock-1", s.lands(2500*time.Millisecond, syscall.EIO)))
		if _, err := a.mutex().TryAcquire(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		time.Sleep(2501 * time.Millisecond)
		s.put("report.txt")
		time.Sleep(time.Hour)
		b.release(b.acquire(0))
		if names := s.names(); len(names) != 2 || names[1] != "report.txt" {
			t.Errorf("left: %q", names)
		}
	})
}

// The same where stamping fails for good: what landed between the mkdir and here stays, and is in nobody's way.
func TestSimStampingFailsAmongJunk(t *testing.T) {
	for _, call := range []string{"traits lock", "create dirlock-1", "stat dirlock-1"} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("one"), s.proc("two")
			a.on(first(1, call, func(faultfs.Op) (func(error) error, error) {
				s.put("report.txt", ".DS_Store")
				return nil, syscall.EIO
			}))
			if _, err := a.mutex().TryAcquire(); !errors.Is(err, syscall.EIO) {
				t.Fatal(call, err)
			}
			time.Sleep(time.Hour)
			l, err := b.mutex().TryAcquire()
			if err != nil {
				t.Fatal(call, err)
			}
			b.release(l)
			if !s.there(simPath + "/report.txt") {
				t.Errorf("%s: left: %q", call, s.names())
			}
		})
	}
}
