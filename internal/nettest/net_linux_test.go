package nettest

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestHosts is what one lab of two clients is enough for.
func TestHosts(t *testing.T) {
	s := open(t, netlab.Config{Clients: []string{"a", "b"}})
	for _, test := range []struct {
		name string
		run  func(*testing.T, *scene)
	}{
		{"Loss", testLoss},
	} {
		begin := time.Now()
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
		t.Logf("%s: %v", test.name, time.Since(begin).Round(100*time.Millisecond))
	}
	t.Logf("%d holdings", s.ledger.check(t))
}
