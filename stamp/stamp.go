package stamp

import (
	"time"

	"github.com/google/uuid"
)

const (
	Prefix     = "dirlock-"       // begins the name of every stamp, of all versions
	Vacant     = "dirlock-vacant" // marks a lock directory as free although junk lies in it; not a stamp
	Version    = 1                // of the names that this package writes
	MaxName    = 200              // bytes in a name at most, of all versions
	MaxContent = 4096             // bytes in a content at most
)

// ClockSource says whose clock the mtime of a stamp carries after a beat.
type ClockSource uint8

const (
	ClockUnknown ClockSource = 0   // not known: only what was watched counts
	ClockFS      ClockSource = 'f' // the file system's: local file systems, NFS
	ClockHolder  ClockSource = 'h' // the holder's own: SMB
)

// Stamp is all that a name says about its owner.
type Stamp struct {
	Version    int
	UUID       uuid.UUID     // one attempt to acquire, never used again; the only test of ownership
	PID        int           // 1 to MaxInt32, in its own pid namespace
	Start      uint64        // start time of the process, in the unit of the system; 0 unknown
	Boot       Boot          // zero unknown
	PIDNS      uint64        // pid namespace; 0 unknown
	TimeNS     uint64        // time namespace; 0 unknown
	Group      int           // process group that works under the lock; 0 none
	GroupStart uint64        // start time of the group's leader; 0 unknown
	Heartbeat  time.Duration // as declared, whole milliseconds; see Bounds
	Stale      time.Duration // as declared, whole milliseconds; see Bounds
	Clock      ClockSource   // whose clock its beats carry
	HostHash   uint64        // see HostHash
	Label      string        // readable part of the host name, lossy, see Label

	more string // what a later version has after the label, from the dot on
}

// Known reports whether the stamp is of a version whose meaning this package knows.
func (s Stamp) Known() bool { return s.Version == Version }
