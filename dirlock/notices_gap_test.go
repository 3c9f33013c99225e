package dirlock

import (
	"testing"
	"time"
)

// However short Heartbeat and Poll are, one who is told of a release looks often enough for his looks to be one watching: else nobody could
// take over from a holder that no kernel answers for.
func TestLooksThatAreOneWatching(t *testing.T) {
	for _, c := range []struct{ beat, stale, poll time.Duration }{
		{10 * time.Millisecond, 30 * time.Millisecond, 10 * time.Millisecond},
		{10 * time.Millisecond, time.Second, 200 * time.Millisecond},
		{100 * time.Millisecond, 3 * time.Second, 10 * time.Millisecond},
		{150 * time.Millisecond, 3 * time.Second, 50 * time.Millisecond},
		{time.Second, 30 * time.Second, 10 * time.Millisecond},
	} {
		for _, stamped := range []bool{true, false} {
			bubble(t, func(t *testing.T, s *sim) {
				a, b := s.proc("one"), s.proc("two")
				s.herald(a, b)
				on := func(p *simProc) *Mutex {
					m := p.mutex()
					m.Heartbeat, m.Stale, m.Poll, m.Wait = c.beat, c.stale, c.poll, time.Minute
					return m
				}
				if stamped {
					s.must(second(on(a).Acquire(t.Context())))
					a.kill()
				} else {
					s.mkdir()
				}
				begin := time.Now()
				l, err := on(b).Acquire(t.Context())
				s.must(err)
				between(t, "the takeover", time.Since(begin), c.stale, c.stale+c.beat+c.poll)
				b.release(l)
			})
		}
	}
}
