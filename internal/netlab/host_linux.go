package netlab

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A Host is one kernel with its processes, mounts, clock and network. It is told what to do over a network of its own, which
// works while it is cut off from the others.
type Host struct {
	*Place
	IP string // its address on the network between the hosts

	number int
	room   *room // nil: it has a kernel

	mu     sync.Mutex
	kernel *Process
	mounts map[string]int // how many of each kind there were since it was booted
}

func (l *Lab) host(name string, number int) *Host {
	h := &Host{IP: fmt.Sprint(wire.DataNet, number), number: number}
	h.Place = &Place{Name: name, lab: l, address: fmt.Sprint(wire.ControlNet, number, ":", wire.Port), gone: h.ended}
	return h
}

func (h *Host) ended() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kernel.Ended()
}

// Control returns the host's address on the network by which it is told what to do, for tests that need more of it.
func (h *Host) Control() string { return fmt.Sprint(wire.ControlNet, h.number) }

// Clock shifts the host's date, forth or back.
func (h *Host) Clock(shift time.Duration) {
	h.lab.tb.Helper()
	h.Must(wire.Lab+"/agent", "shift", shift.String())
}

// RelayInside is [Place.Relay] for a command line on another host of the lab.
func (h *Host) RelayInside(env ...string) []string {
	return []string{wire.Lab + "/agent", "relay", h.address, "", strings.Join(env, ",")}
}
