package dirlock

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a HeldError says of when the lock could be taken over: a time that was foreseen, zero where it could be now, and negative
// where nobody can say, also because nothing was found out.
func TestTakeoverForeseen(t *testing.T) {
	const never, now = -1, 0
	await := func(wait time.Duration) func(p *simProc) error {
		return func(p *simProc) error {
			m := p.mutex()
			m.Wait = wait
			return second(m.Acquire(context.Background()))
		}
	}
	try := func(p *simProc) error { return second(p.mutex().TryAcquire()) }
	for what, c := range map[string]struct {
		scene func(s *sim, b *simProc)
		call  func(p *simProc) error
		least time.Duration
	}{
		"alive on the same host":    {func(s *sim, b *simProc) { s.proc("two").acquire(0) }, await(time.Second), never},
		"this process":              {func(s *sim, b *simProc) { b.acquire(0) }, try, never},
		"elsewhere, just now":       {func(s *sim, b *simProc) { s.proc("one").acquire(0) }, try, 29 * time.Second},
		"elsewhere, silent for 20s": {func(s *sim, b *simProc) { s.forge("one", 7).plant(""); time.Sleep(20 * time.Second) }, try, 10 * time.Second},
		"dead, and not to be removed": {func(s *sim, b *simProc) {
			s.forge("two", 7).plant("")
			time.Sleep(time.Minute)
			b.on(every("unlink", fail(syscall.EACCES)))
		}, try, now},
		"unlistable": {func(s *sim, b *simProc) { s.mkdir(); b.on(every("list", fail(syscall.EIO))) }, try, never},
		"unreadable, for the whole wait": {func(s *sim, b *simProc) {
			s.mkdir()
			b.on(every("opendir", fail(syscall.EACCES)))
		}, await(2 * time.Second), never},
		"hung before anything was found out": {func(s *sim, b *simProc) {
			s.mkdir()
			b.on(all(first(1, "opendir", fail(syscall.EIO)), every("opendir", slow(time.Minute, 0))))
		}, await(2 * time.Second), never},
		"another came in between": {func(s *sim, b *simProc) {
			b.on(first(1, "create dirlock-1", then(func() { s.forge("one", 7).plant("") })))
		}, try, never},
		"created too slowly, and then nothing": {func(s *sim, b *simProc) {
			b.on(first(1, "list", then(func() {
				time.Sleep(25 * time.Second)
				b.on(every("mkdir", slow(time.Minute, 0)))
			})))
		}, await(26 * time.Second), never},
		"beside data that is not old": {func(s *sim, b *simProc) { s.mkdir(); s.put("report.txt") }, try, never},
	} {
		t.Run(what, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				b := s.proc("two")
				c.scene(s, b)
				err := c.call(b)
				held, ok := errors.AsType[*HeldError](err)
				if !ok {
					t.Fatal(err)
				}
				said := strings.Contains(err.Error(), "at the earliest")
				switch {
				case c.least < 0 && (held.Takeover >= 0 || said),
					c.least == 0 && (held.Takeover != 0 || said),
					c.least > 0 && (held.Takeover < c.least || held.Takeover > c.least+time.Second+100*time.Millisecond || !said):
					t.Errorf("%v, want %v: %v", held.Takeover, c.least, err)
				}
				b.on(nil)
			})
		})
	}
}
