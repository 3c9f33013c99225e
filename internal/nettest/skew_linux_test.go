package nettest

import (
	"testing"
	"time"
)

// testClocks has hosts whose dates are an hour ahead and an hour behind.
func testClocks(t *testing.T, s *scene) {
	s.clients[1].Clock(time.Hour)
	s.clients[2].Clock(-time.Hour)
	defer func() {
		s.clients[1].Clock(-time.Hour)
		s.clients[2].Clock(time.Hour)
	}()
	t.Run("together", func(t *testing.T) {
		t.Run("Skew", func(t *testing.T) { t.Parallel(); testSkew(t, s) })
		t.Run("Cron", func(t *testing.T) { t.Parallel(); testCron(t, s) })
	})
}

// testSkew has dates jump, too, while some wait: nobody takes a living holder's lock over, and a dead one's is had within its bound,
// whichever of them held it.
func testSkew(t *testing.T, s *scene) {
	const beat, stale = time.Second, 6 * time.Second
	for turn, name := range []string{"of true date", "an hour ahead"} {
		holder := s.employ(t, s.clients[turn].Host)
		var held, waits []*told
		for _, kind := range kinds {
			o := order{Path: s.fresh(t).on(kind), Heartbeat: beat, Stale: stale, Wait: -1}
			held = append(held, holder.acquire(t, o))
			o.Do = "acquire"
			for i, st := range s.clients {
				if i != turn {
					waits = append(waits, st.tell(t, o))
				}
			}
		}
		time.Sleep(2 * time.Second)
		for _, jump := range []time.Duration{time.Hour, -2 * time.Hour, time.Hour} {
			s.clients[0].Clock(jump)
			time.Sleep(stale / 2)
		}
		for _, d := range waits {
			if _, ok := d.look(0, is(toldAcquired, toldFailed)); ok {
				t.Errorf("holder %s: %s took %s over", name, d.st.Name, d.order.Path)
			}
		}
		for _, d := range held {
			if r, ok := d.look(0, is(toldLost)); ok {
				t.Errorf("holder %s: lost %s: %s", name, d.order.Path, r.Err)
			}
		}
		killed := time.Now()
		if err := holder.proc.Kill(); err != nil {
			t.Fatal(err)
		}
		<-holder.gone
		s.ledger.ended(holder, killed)
		var latest time.Duration
		for i := range kinds { // either of the two may be first; then the other follows
			first, second := waits[2*i], waits[2*i+1]
			if _, ok := first.look(repaired(beat, stale), is(toldAcquired)); !ok {
				first, second = second, first
			}
			r := first.had(time.Second)
			if r2, ok := second.look(0, is(toldAcquired)); ok && second.st.time(r2).Before(first.st.time(r)) {
				first, second, r = second, first, r2
			}
			took := first.st.time(r).Sub(killed)
			latest = max(latest, took)
			if took > repaired(beat, stale) {
				t.Errorf("holder %s: had by %s after %v, not within %v", name, first.st.Name, took, repaired(beat, stale))
			}
			first.st.release(t, first)
			second.had(patience)
			second.st.release(t, second)
		}
		t.Logf("holder %s: had again %v after its death at the latest", name, latest)
	}
}
