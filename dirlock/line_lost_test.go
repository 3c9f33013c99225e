package dirlock

import (
	"testing"
	"time"
)

// Who waits for a lock of his own process counts on being told: of a loss too, not of a release only.
func TestLossIsToldInTheProcess(t *testing.T) {
	for kind, prepare := range kinds {
		t.Run(kind, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *sim) {
				a := s.proc("one")
				prepare(s, a)
				l := a.acquire(0)
				had := a.goes(t.Context(), a.patient())
				time.Sleep(safetyPoll * 3 / 2)
				a.leave()
				root := s.server.Local()
				s.must(root.Unlink(simStamp(l)), root.Rmdir(simPath))
				removed := time.Now()
				<-l.Context().Done()
				got := <-had
				s.must(got.err)
				between(t, "the next one's lock", got.at.Sub(removed), 0, 2*defaultHeartbeat)
				a.sound(got.lock)
				_ = l.Release()
				a.idle()
			})
		})
	}
}
