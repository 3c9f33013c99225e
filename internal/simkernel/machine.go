// Package simkernel is a Linux kernel in memory, as far as the lock asks one: processes in pid and time namespaces, what
// kill(2), a pidfd and /proc say of them to each other, and the traps that lie therein. It is for tests that run the code
// which decides whether an owner is dead, see package kernel.
//
// Nothing happens in it but what it is told: no process ends, is reaped or gets a number by itself. The same calls in the
// same order give the same answers. All methods may be called from many goroutines at once, and no lock is held when one
// returns or calls back.
//
// It leaves out capabilities and user namespaces (root is uid 0 and may everything), sessions, and tracing.
package simkernel

import (
	"slices"
	"sync"
)

// A Machine is one run of one kernel.
type Machine struct {
	boot [16]byte
	host string

	mu      sync.Mutex
	now     uint64     // clock ticks since boot
	ino     uint64     // of the namespace made last
	procs   []*Process // all that are not gone, in the order of their making
	handles int
	initial *Namespace
	time    *TimeNS
}

// New boots a machine. The boot id must differ from that of any other boot, unless it is to be a clone's. In its initial
// namespace there is one process, init.
func New(boot [16]byte, host string) *Machine {
	m := &Machine{boot: boot, host: host, ino: 0xf0000000 + 300, now: 1}
	// These numbers are the same on every machine; those of others may be the same by chance.
	m.initial = &Namespace{m: m, ino: 0xeffffffc, max: 1 << 22, table: map[int]*number{}}
	m.time = &TimeNS{ino: 0xeffffffa}
	m.initial.spawn(Spec{})
	m.now = 1000
	return m
}

// Advance lets clock ticks pass, of which Linux has 100 a second. Those who start in one tick have one start time.
func (m *Machine) Advance(ticks uint64) {
	defer m.locked()()
	m.now += ticks
}

// Handles is how many pidfds and directories of /proc are open: 0, unless somebody forgot to close one.
func (m *Machine) Handles() int {
	defer m.locked()()
	return m.handles
}

// Boot is the id of this boot.
func (m *Machine) Boot() [16]byte { return m.boot }

// Initial is the pid namespace that the machine booted with.
func (m *Machine) Initial() *Namespace { return m.initial }

// Processes lists those that are not gone, zombies too, in the order in which they were made.
func (m *Machine) Processes() []*Process {
	defer m.locked()()
	return slices.Clone(m.procs)
}

// NewTime makes a time namespace, whose clocks run ahead of the initial one's by so many ticks.
func (m *Machine) NewTime(ahead int64) *TimeNS {
	defer m.locked()()
	m.ino++
	return &TimeNS{ino: m.ino, ahead: ahead}
}

// locked is for "defer m.locked()()".
func (m *Machine) locked() (unlock func()) {
	m.mu.Lock()
	return m.mu.Unlock
}

// A TimeNS is a time namespace. Who is in it reads all start times with its offset.
type TimeNS struct {
	ino   uint64
	ahead int64
}

// Ino is its inode number.
func (ns *TimeNS) Ino() uint64 { return ns.ino }
