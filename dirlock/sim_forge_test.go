package dirlock

import (
	"path"
	"time"

	"github.com/google/uuid"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// A forged stamp is one that the test keeps, or not.
type forged struct {
	*sim
	stamp stamp.Stamp
	name  string
	path  string
}

// forge thinks up an owner. Nothing is on disk yet.
func (s *sim) forge(host string, pid int, edits ...func(*stamp.Stamp)) forged {
	o := stamp.Stamp{
		Version: stamp.Version, UUID: uuid.New(), PID: pid, Start: uint64(pid), PIDNS: 4026531836,
		Heartbeat: time.Second, Stale: 30 * time.Second, Clock: stamp.ClockFS,
		HostHash: stamp.HostHash(host), Label: stamp.Label(host),
	}
	copy(o.Boot[:], host)
	for _, edit := range edits {
		edit(&o)
	}
	return forged{s, o, o.Name(), path.Join(simPath, o.Name())}
}

// plant puts the stamp into the lock directory, which is made if need be.
func (f forged) plant(content string) forged {
	f.t.Helper()
	c := f.server.Local()
	if err := c.Mkdir(simPath, 0o755); err != nil && !fsys.Is(err, fsys.Exist) {
		f.t.Fatal(err)
	}
	f.must(c.Create(f.path, []byte(content), 0o644))
	return f
}
