package nettest

import (
	"testing"
	"time"
)

// testStatus: what one host is told of a lock is what another has just made of it, although clients remember what was not there, too.
func testStatus(t *testing.T, s *scene) {
	each(t, func(t *testing.T, kind string) {
		a, b := s.clients[0], s.clients[1]
		path := s.fresh(t).on(kind)
		status := func(when, want string) {
			t.Helper()
			end := time.Now()
			if kind == "smb" {
				end = end.Add(2 * time.Second) // for one, that client says what it knew
			}
			for {
				r := b.tell(t, order{Do: "inspect", Path: path}).end(patience)
				if r.Text == want && r.Err == "" {
					return
				}
				if time.Now().After(end) {
					t.Errorf("%s: %q, %s; want %q", when, r.Text, r.Err, want)
					return
				}
			}
		}
		for range 3 {
			status("free", "free")
			l := a.acquire(t, order{Path: path})
			status("held", "held")
			a.release(t, l)
		}
		status("free again", "free")
	})
}
