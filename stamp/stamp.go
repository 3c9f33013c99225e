// Package stamp is the owner's token of a directory lock: the name and the
// content of the one file that makes its directory somebody's lock, who the
// process behind it is, and the verdict whether that owner may be presumed gone.
//
// All that a verdict needs stands in the file's name, because a name appears
// whole or not at all: one exclusive create publishes it on ext4 and tmpfs as on
// NFS and SMB, while a content can be met empty, half written or out of a stale
// cache. The content is for people, and no decision reads it.
//
// The grammar of a name, in full:
//
//	dirlock-<version>.<uuid>.<pid>.<start>.<boot>.<pidns>.<timens>.<group>.<groupstart>.<heartbeat>.<stale>.<clock>.<hosthash>.<label>
//
//	version, pid, pidns, timens, group    decimal
//	heartbeat, stale                      decimal, milliseconds
//	start, groupstart                     base 36
//	uuid, boot                            32 hexadecimal digits; for what the uuid says see Stamp.Guarded
//	hosthash                              16 hexadecimal digits
//	clock                                 f: the file system's, h: the holder's, u: unknown
//	label                                 1 to 32 of [a-z0-9-]
//
// Letters are lower case, numbers carry no leading zeros, and a name has at
// most 200 bytes of [a-z0-9._-], so that it survives every file system, those
// that fold case included. These fields, their order and the limit hold for all
// versions; a later one may only add fields after the label.
//
// A stamp is a regular file. Whether it is one, the caller has to see to.
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

const (
	MinHeartbeat = 10 * time.Millisecond // the shortest heartbeat that counts
	MaxStale     = time.Hour             // the longest silence that may be asked for
)

// ClockSource says whose clock the mtime of a stamp carries after a beat. It is
// the letter that stands in the name; a later version may use others, which
// prove as little as ClockUnknown.
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
	Group      int           // process group that works under the lock, to MaxInt32; 0 none
	GroupStart uint64        // start time of the group's leader; 0 unknown
	Heartbeat  time.Duration // as declared, whole milliseconds; judge by Bounds
	Stale      time.Duration // as declared, whole milliseconds; judge by Bounds
	Clock      ClockSource   // whose clock its beats carry
	HostHash   uint64        // see HostHash
	Label      string        // what can be read of the host name, see Label

	more string // what a later version has after the label, from the dot on
}

// Known reports whether the stamp is of a version that this package
// understands whole. Of any other only the fields of Stamp are understood.
func (s Stamp) Known() bool { return s.Version == Version }

// Bounds returns the heartbeat and the stale time to judge the owner by: as
// declared, but stale within 3*MinHeartbeat and MaxStale, and the heartbeat
// within MinHeartbeat and a third of that. A declaration out of range is no
// reason to disbelieve the rest of a name, nor may it keep a lock for ever.
func (s Stamp) Bounds() (heartbeat, stale time.Duration) {
	return clamp(s.Heartbeat, s.Stale)
}

func clamp(heartbeat, stale time.Duration) (time.Duration, time.Duration) {
	stale = min(max(stale, 3*MinHeartbeat), MaxStale)
	return min(max(heartbeat, MinHeartbeat), stale/3), stale
}
