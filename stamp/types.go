package stamp

import (
	"encoding/hex"
	"fmt"
)

// Boot identifies one run of one kernel: on Linux the bytes of
// /proc/sys/kernel/random/boot_id, elsewhere the nearest thing the system has.
// The zero Boot means that it could not be read, and equals no other, not even
// another zero Boot, wherever hosts are compared.
type Boot [16]byte

// String returns the 32 lower-case hexadecimal digits that stand in a stamp's name.
func (b Boot) String() string { return hex.EncodeToString(b[:]) }

// IsZero reports whether the boot is unknown.
func (b Boot) IsZero() bool { return b == Boot{} }

// MarshalText returns the same digits as String.
func (b Boot) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads what MarshalText wrote; anything but 32 hexadecimal digits is an error.
func (b *Boot) UnmarshalText(text []byte) error {
	if len(text) != 2*len(b) {
		return fmt.Errorf("stamp: a boot id has %d hexadecimal digits, not %d bytes", 2*len(b), len(text))
	}
	if _, err := hex.Decode(b[:], text); err != nil {
		return fmt.Errorf("stamp: boot id: %w", err)
	}
	return nil
}

// Identity is who a process is, as far as this kernel tells. A part that could
// not be read is zero, and a zero part proves nothing.
type Identity struct {
	PID    int    // as this process sees itself: the number in its own namespace
	Start  uint64 // start time in the unit of the system; Linux: clock ticks since boot
	Boot   Boot   // which run of which kernel
	PIDNS  uint64 // pid namespace: its inode number on Linux
	TimeNS uint64 // time namespace, in which start times are comparable
	Host   string // host name, byte for byte as the system has it

	// ProcOurs says that /proc shows the namespace this process lives in, so
	// that what it tells about another pid is about the process we mean.
	ProcOurs bool
}

// SameHost reports whether the stamp was made under the same running kernel and
// in the same pid namespace, which is what it takes to ask that kernel about
// its pid. Both the boot and the namespace must be known on both sides: the
// initial namespace carries the same number on every Linux machine, and a host
// name proves nothing, so neither counts alone.
func (id Identity) SameHost(s Stamp) bool {
	return !id.Boot.IsZero() && id.PIDNS != 0 && id.Boot == s.Boot && id.PIDNS == s.PIDNS
}

// SameName reports whether the stamp was made under the host name of this
// process, by the hash of the name's bytes. It never makes two hosts the same;
// a difference only casts doubt on SameHost, since a cloned virtual machine
// takes its boot id along.
func (id Identity) SameName(s Stamp) bool { return HostHash(id.Host) == s.HostHash }

// Answer is what the kernel says about the owner that a stamp names.
type Answer uint8

const (
	Unknown Answer = iota // no answer that proves anything: counts as alive
	Alive                 // the process, or a member of its group, is there
	Dead                  // it is gone, and so is its group if it named one; this cannot become false again
)

// String returns "unknown", "alive" or "dead".
func (a Answer) String() string {
	switch a {
	case Alive:
		return "alive"
	case Dead:
		return "dead"
	default:
		return "unknown"
	}
}

// Evidence is an answer and how it was come by.
type Evidence struct {
	Answer Answer
	How    string // for people: "kill: ESRCH", "pid 12 was started again (start 5, stamp 3)", "zombie", ...

	// Zombies says that in this scan the owner's process group had only
	// zombies left. One scan can miss a member that forks while it runs, so
	// this is not Dead and Judge does not take it for that: the caller scans
	// again a beat later and, if that scan says the same, sets Answer to Dead.
	Zombies bool
}
