package dirlock

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// Another directory is at the path, and nobody told of it: one above was moved away, or something was mounted there. Once it was
// found out, the other is listened to.
func TestAnotherDirectoryUnheard(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b := s.proc("host"), s.proc("host") // a's are the stamps
		h := s.herald(a, b)
		c := s.server.Local()
		leaves := func(f forged) {
			s.must(c.Unlink(f.path), c.Rmdir(simPath))
			h.gone(f.path)
			h.gone(simPath)
		}
		one, two := s.forge("host", a.id.PID).plant(""), s.forge("host", a.id.PID)
		had := b.goes(t.Context(), b.patient())
		time.Sleep(time.Second)
		h.mute["dir"] = true
		leaves(one)
		two.plant("")
		h.mute["dir"] = false
		time.Sleep(2 * safetyPoll)
		released := time.Now()
		leaves(two)
		got := <-had
		s.must(got.err)
		between(t, "the lock", got.at.Sub(released), 0, quickLooks)
		b.sound(got.lock)
		h.hushed(t)
	})
}

// inMemory is a file system in memory, on a machine that counts its mounts.
type inMemory struct {
	fsys.FS
	mounts *atomic.Uint64
}

func (f inMemory) Near(path string) (string, bool, bool) { return path, true, true }
func (f inMemory) Mounts() uint64                        { return f.mounts.Load() }

// Where something is mounted anywhere, one who waits for a lock in memory begins anew when he looks next, and is told of the holder's end as
// before, be it that notice that makes him look.
func TestExitIsHeardOfAfterAMount(t *testing.T) {
	for _, looks := range []bool{true, false} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("host"), s.proc("host")
			h := s.herald(a, b)
			mounts := &atomic.Uint64{}
			b.World.FS = inMemory{b.World.FS, mounts}
			m := a.mutex()
			m.Heartbeat, m.Stale = 5*time.Minute, 20*time.Minute
			l, err := m.Acquire(t.Context())
			s.must(err)
			a.enter(l)
			had := b.goes(t.Context(), b.patient())
			time.Sleep(time.Second)
			mounts.Add(1)
			if looks {
				time.Sleep(2 * safetyPoll)
			}
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
}

// A notice of a former holder's end that comes just as it is wanted no longer is not taken for one of the next holder's.
func TestLateNoticeOfAFormerHolder(t *testing.T) {
	bubble(t, func(t *testing.T, s *sim) {
		a, b, c := s.proc("host"), s.proc("host"), s.proc("host") // a's and c's are the stamps
		h := s.herald(a, b, c)
		watch := b.World.WatchExit
		b.World.WatchExit = func(self stamp.Identity, of stamp.Stamp, exited func()) (func(), error) {
			stop, err := watch(self, of, exited)
			return func() { exited(); stop() }, err
		}
		one := s.forge("host", a.id.PID).plant("")
		ctx, cancel := context.WithCancel(t.Context())
		had := b.goes(ctx, b.patient())
		time.Sleep(time.Second)
		two := s.forge("host", c.id.PID).plant("")
		s.must(s.server.Local().Unlink(one.path))
		h.gone(one.path)
		time.Sleep(safetyPoll) // by then it looks as seldom as it ever will
		before := b.calls()
		const long = 20 * safetyPoll
		time.Sleep(long)
		if n := b.calls() - before; n > 41 {
			t.Errorf("%d calls in %v, want one every %v to %v: the kernel tells of the end", n, long, safetyPoll/2, safetyPoll)
		}
		cancel()
		if got := <-had; !errors.Is(got.err, ErrHeld) {
			t.Error(got.err)
		}
		s.must(s.server.Local().Unlink(two.path))
		h.hushed(t)
	})
}
