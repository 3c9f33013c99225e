package stamp

import "github.com/google/uuid"

// Guarded says that the owner has a lock on the stamp's file, which the kernel drops when the owner has ended: it took that lock right after
// it made the file, before it looked who else is there, and gave up if it did not get it. So whoever gets that lock knows that the
// owner does not hold the directory, and cannot come to hold it by this stamp as long as he keeps it.
//
// The name says so by the version of its UUID, in the sense of RFC 9562: 8, where it is 4 without. To who knows nothing of it, it is a UUID
// like any other.
func (s Stamp) Guarded() bool { return s.UUID.Version() == guarded }

const (
	guarded   = 8
	unguarded = 4
)

// Guard returns the same random UUID as one of a stamp that is guarded, or is not.
func Guard(id uuid.UUID, yes bool) uuid.UUID {
	version := byte(unguarded)
	if yes {
		version = guarded
	}
	id[6] = id[6]&0x0f | version<<4
	return id
}
