package nettest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// TestHosts is what one lab of three clients is enough for. MKDIRLOCK_NETTEST="Loss Reboot" has only these scenes played.
func TestHosts(t *testing.T) {
	netlab.Need(t)
	t.Parallel()
	only := strings.Fields(os.Getenv("MKDIRLOCK_NETTEST"))
	s := open(t, netlab.Config{Clients: []string{"a", "b", "c"}})
	for _, test := range []struct {
		name string
		run  func(*testing.T, *scene)
	}{
		{"Cycle", testCycle}, {"Keeping", testKeeping}, {"Clients", testClients}, {"Status", testStatus}, {"Handover", testHandover}, {"Loss", testLoss}, {"Mounts", testMounts},
		{"Protocols", testProtocols}, {"Clocks", testClocks}, {"Reboot", testReboot},
	} {
		if len(only) > 0 && !slices.Contains(only, test.name) {
			continue
		}
		begin := time.Now()
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
		t.Logf("%s: %v", test.name, time.Since(begin).Round(100*time.Millisecond))
	}
	t.Logf("%d holdings", s.ledger.check(t))
}
