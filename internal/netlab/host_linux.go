package netlab

import (
	"context"
	"time"
)

// A Host is one kernel with its processes, mounts, clock and network. It is told what to do over a network of its own, which
// works while it is cut off from the others.
type Host struct {
	Name string
	IP   string // its address on the network between the hosts
	lab  *Lab
}

// A Result is what a command said and its exit code: 128 and the signal's number when a signal ended it.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Run runs a command, with env ("NAME=value") beside a plain environment, until it ends. An error means that its end was not
// seen: it could not be started, the host lost power, or ctx was done, and then the command is killed, as far as it can be.
func (h *Host) Run(ctx context.Context, env []string, cmd ...string) (Result, error) {
	panic("netlab: not there yet")
}

// Must runs a command for up to a minute and returns what it printed; the test fails unless its exit code is 0.
func (h *Host) Must(cmd ...string) string { panic("netlab: not there yet") }

// Start starts a command and returns it as it runs. It is killed when the test ends.
func (h *Host) Start(env []string, cmd ...string) *Process { panic("netlab: not there yet") }

// Cut takes the host off the network between the hosts, as if its cable were pulled, and Heal puts it back.
func (h *Host) Cut() { panic("netlab: not there yet") }

// Heal undoes Cut.
func (h *Host) Heal() { panic("netlab: not there yet") }

// PowerOff ends the host's kernel at once, without a word to anybody, and all its processes with it.
func (h *Host) PowerOff() { panic("netlab: not there yet") }

// Boot starts the host again after PowerOff. Nothing is mounted on a client; a server exports what it had on its disk.
func (h *Host) Boot() { panic("netlab: not there yet") }

// Reboot is PowerOff, and Boot after the time without power. A host is back some 2 s after that, a server some 5 s. After
// its reboot an NFS server is in its grace period, as long as its lease, unless EndGrace ends it.
func (h *Host) Reboot(down time.Duration) { panic("netlab: not there yet") }

// EndGrace ends the grace period of an NFS server that has rebooted.
func (h *Host) EndGrace() { panic("netlab: not there yet") }

// Clock shifts the host's date, forth or back.
func (h *Host) Clock(shift time.Duration) { panic("netlab: not there yet") }

// Netem has the host's packets to the other hosts delayed, lost or doubled, in the words of tc-netem(8): Netem("loss",
// "100%"). Without words it stops.
func (h *Host) Netem(words ...string) { panic("netlab: not there yet") }
