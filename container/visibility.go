package container

import "log/slog"

// Visibility says who can see what lies at a path. The zero value is Unknown.
type Visibility uint8

const (
	// Unknown means that it cannot be told from in here.
	Unknown Visibility = iota

	// Machine means that no container was recognised: whoever uses this machine sees it. A virtual machine's own disk is this.
	Machine

	// Shared means a mount that came into the container from outside, so that others can be given it too: a directory of
	// the machine, a named volume, a file system of the network, a pod's emptyDir. Who else has it cannot be seen from in here.
	Shared

	// OwnLayer means the container's own writable layer, or what else a runtime made for this container alone to be its root.
	OwnLayer

	// OwnTmpfs means a tmpfs that was made for this container alone.
	OwnTmpfs

	// OwnVolume means an anonymous volume: made for this container, and seen by others only if they were started with
	// --volumes-from.
	OwnVolume

	// ReadOnlyRoot means a root file system that cannot be written to.
	ReadOnlyRoot
)

// String returns one lower-case word, with dashes, such as "own-layer".
func (v Visibility) String() string {
	switch v {
	case Machine:
		return "machine"
	case Shared:
		return "shared"
	case OwnLayer:
		return "own-layer"
	case OwnTmpfs:
		return "own-tmpfs"
	case OwnVolume:
		return "own-volume"
	case ReadOnlyRoot:
		return "read-only-root"
	}
	return "unknown"
}

// Private reports whether nobody outside this container sees it, as far as the container was started in the usual way.
func (v Visibility) Private() bool { return v == OwnLayer || v == OwnTmpfs || v == OwnVolume }

// Place is where a path lies. The zero value knows nothing.
type Place struct {
	Visibility Visibility
	Evidence   string // why, in words fit for printing, such as "/data is mounted from /srv/data of the machine (ext4)"
}

// LogValue makes loggers write what String returns.
func (p Place) LogValue() slog.Value { return slog.StringValue(p.String()) }

// String returns the answer with its evidence, on one line.
func (p Place) String() string {
	if p.Evidence == "" {
		return p.Visibility.String()
	}
	return p.Visibility.String() + ": " + p.Evidence
}

// Where tells who can see what lies at path, which is absolute and has no links on its way. It need not exist, and nothing is asked of
// the file system that it is on, which may hang.
//
// In no container, and on systems other than Linux, the answer is [Machine] at once. Like all of this package it is for people, and for
// refusing a place that is certainly or possibly the wrong one: who holds a lock never depends on it. It is told from
// /proc/self/mountinfo, from the container that [Self] recognises, and, of a tmpfs, from when that was made: so it is Unknown
// before Linux 6.0.
func Where(path string) Place { return where(path) }
