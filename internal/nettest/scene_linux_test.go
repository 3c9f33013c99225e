package nettest

import (
	"fmt"
	"os"
	"path"
	"sync/atomic"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// kinds are the file systems that each host mounts.
var kinds = []string{"nfs4", "nfs3", "smb"}

// long reports whether the long forms of the tests are wanted.
func long() bool { return os.Getenv("MKDIRLOCK_NETLONG") == "1" }

// A scene is a lab with a worker on each host, and all mounts on each client.
type scene struct {
	lab     *netlab.Lab
	program string
	ledger  ledger
	server  *station
	clients []*station
}

var locks atomic.Int64

// open boots a lab and employs a worker on each of its hosts.
func open(t *testing.T, c netlab.Config) *scene {
	t.Helper()
	s := &scene{lab: c.Start(t)}
	s.program = s.lab.Self()
	s.server = s.employ(t, s.lab.Server)
	for _, h := range s.lab.Clients() {
		for _, kind := range kinds {
			h.Mount(kind, "")
		}
		s.clients = append(s.clients, s.employ(t, h))
	}
	return s
}

// A place is where a lock is, by its names on the hosts.
type place struct{ name string }

// fresh returns the place of a lock that nobody has used yet.
func (s *scene) fresh(t *testing.T) place {
	return place{fmt.Sprintf("lock-%d", locks.Add(1))}
}

// on is the lock's path below a mount.
func (p place) on(kind string) string { return path.Join("/mnt", kind, p.name) }

// at is the lock's path on the server itself.
func (p place) at(lab *netlab.Lab) string { return path.Join(lab.Share, p.name) }

// each runs f for each kind of file system, all at the same time: most of a test is waiting.
func each(t *testing.T, f func(t *testing.T, kind string)) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f(t, kind)
		})
	}
}
