package dirlock

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"
)

// However a wait ends, what was asked for is stopped, and nothing is kept in a line or a slot.
func TestAllListeningEnds(t *testing.T) {
	why := errors.New("why")
	for what, c := range map[string]struct {
		then func(a, b *simProc, l *Lock, cancel context.CancelCauseFunc) // after the waiter has begun to listen
		want error
	}{
		"success": {func(a, b *simProc, l *Lock, _ context.CancelCauseFunc) { a.leave(); a.release(l) }, nil},
		"timeout": {func(a, b *simProc, l *Lock, _ context.CancelCauseFunc) {}, context.DeadlineExceeded},
		"cancel":  {func(a, b *simProc, l *Lock, cancel context.CancelCauseFunc) { cancel(why) }, why},
		"error": {func(a, b *simProc, l *Lock, _ context.CancelCauseFunc) {
			b.on(every("mkdir", fail(syscall.EROFS)))
			a.leave()
			a.release(l)
		}, syscall.EROFS},
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.proc("host"), s.proc("host")
				h := s.herald(a, b)
				l := a.acquire(0)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				had := b.goes(ctx, b.mutex())
				time.Sleep(time.Second)
				if _, left := h.numbers("dir"); left != 1 {
					t.Fatalf("%d watches of the directory", left)
				}
				if _, left := h.numbers("exit"); left != 1 {
					t.Fatalf("%d watches of the holder", left)
				}
				c.then(a, b, l, cancel)
				got := <-had
				if !errors.Is(got.err, c.want) {
					t.Error(got.err)
				}
				h.hushed(t)
				b.idle()
			})
		})
	}
}

// So it is when the mount hangs, and answers at last: be it in a look, or in asking for the watch.
func TestListeningEndsAfterAHang(t *testing.T) {
	for _, what := range []string{"stat", "watch"} {
		bubble(t, func(t *testing.T, s *sim) {
			a, b := s.proc("host"), s.proc("host")
			h := s.herald(a, b)
			a.acquire(0)
			healed := make(chan struct{})
			if what == "watch" {
				grant := b.World.WatchDir
				b.World.WatchDir = func(path string, wake func()) (func(), error) { <-healed; return grant(path, wake) }
			}
			had := b.goes(t.Context(), b.mutex())
			time.Sleep(time.Second)
			if what == "stat" {
				b.on(every("stat", then(func() { <-healed })))
			}
			begin := time.Now()
			if got := <-had; !errors.Is(got.err, ErrHeld) || got.at.Sub(begin) > defaultWait-time.Second+grace {
				t.Error(got.err, got.at.Sub(begin))
			}
			time.Sleep(time.Minute)
			close(healed)
			h.hushed(t)
			b.idle()
		})
	}
}
