package nettest

import (
	"strings"
	"testing"
	"time"
)

// testCron has short-lived callers come along every so often, each a "dirlock run" that waits for less than Stale, from one host and
// another, while the holder on a third is dead: one of the first few has the lock.
func testCron(t *testing.T, s *scene) {
	program := s.lab.Build("github.com/aac6cccc/mkdirlock/cmd/dirlock")
	beat, stale, wait, every, few := time.Second, 15*time.Second, 5*time.Second, 7*time.Second, 4
	if long() {
		stale, wait, every = 30*time.Second, 10*time.Second, time.Minute
	}
	each(t, func(t *testing.T, kind string) {
		victim := s.employ(t, s.clients[0].Host)
		o := order{Path: s.fresh(t).on(kind), Heartbeat: beat, Stale: stale}
		victim.acquire(t, o)
		if err := victim.proc.Kill(); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		<-victim.gone
		s.ledger.ended(victim, killed)
		for i := range few {
			begin := time.Now()
			caller := s.clients[1+i%2]
			r, err := caller.Run(t.Context(), nil, program, "run", "--wait", wait.String(), "--stale", stale.String(), "--heartbeat", beat.String(), o.Path, "--", "true")
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("caller %d, %v after the death: exit code %d: %s", i+1, begin.Sub(killed).Round(time.Second), r.Code, strings.TrimSpace(r.Stderr))
			switch r.Code {
			case 0:
				return
			case 75:
			default:
				t.Errorf("exit code %d", r.Code)
			}
			time.Sleep(every - time.Since(begin))
		}
		t.Errorf("none of %d callers had it", few)
	})
}
