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

// named is an owner whose stamp has any name.
func (s *sim) named(name string) forged {
	return forged{sim: s, name: name, path: path.Join(simPath, name)}
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

// beat touches the stamp for so long, every half second.
func (f forged) beat(d time.Duration) {
	c := f.server.Local()
	for start := time.Now(); time.Since(start) < d; time.Sleep(500*time.Millisecond + 3) {
		_ = c.Touch(f.path)
	}
}
