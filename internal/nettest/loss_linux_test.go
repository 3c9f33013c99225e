package nettest

import (
	"testing"
	"time"
)

// testLoss has somebody remove the stamp, or move the directory away, on the server: the holder notices within two beats, although
// its client keeps names and attributes in its cache.
func testLoss(t *testing.T, s *scene) {
	const beat = time.Second
	// Two beats, what the slower ones of its calls take on a busy machine, and on SMB the second for which a client believes names.
	const bound = 2*beat + 700*time.Millisecond
	rounds := 2
	if long() {
		rounds = 20
	}
	ways := map[string]string{
		"removed":  `rm "$0"/dirlock-*`,
		"moved":    `mv "$0" "$0".away`,
		"replaced": `rm "$0"/dirlock-* && rmdir "$0" && mkdir "$0"`,
		"robbed":   `mv "$0"/dirlock-* "$0".stamp && rmdir "$0"`,
	}
	each(t, func(t *testing.T, kind string) {
		var longest time.Duration
		for way, script := range ways {
			for range rounds {
				p := s.fresh(t)
				a := s.clients[0]
				l := a.acquire(t, order{Path: p.on(kind)})
				// Any phase between two beats, and names that the client has seen again.
				time.Sleep(time.Duration(time.Now().UnixNano()) % beat)
				begin := time.Now()
				s.lab.Server.Must("sh", "-c", script, p.at(s.lab))
				done := time.Now()
				r := l.wait(patience, "the loss", is(toldLost))
				took := a.time(r).Sub(begin)
				longest = max(longest, took)
				if took > bound+done.Sub(begin) {
					t.Errorf("%s: noticed after %v (the removal took %v): %s", way, took, done.Sub(begin), r.Err)
				}
				if got := a.tell(t, order{Do: "release", Path: p.on(kind)}).end(patience); !got.Lost {
					t.Errorf("%s: release after the loss: %+v", way, got)
				}
			}
		}
		t.Logf("noticed after %v at most", longest)
	})
}
