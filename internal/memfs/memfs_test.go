package memfs_test

import (
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
	"github.com/aac6cccc/mkdirlock/internal/fsys/fsystest"
	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// A mount of the tables.
type mount struct {
	name string
	on   func(s *memfs.Server, host string) *memfs.Client
}

var (
	local = mount{"local", func(s *memfs.Server, _ string) *memfs.Client { return s.Local() }}
	nfs3  = mount{"nfs3", (*memfs.Server).NFS3}
	nfs4  = mount{"nfs4", (*memfs.Server).NFS4}
	smb   = mount{"smb", (*memfs.Server).SMB}
	new4  = mount{"nfs4new", (*memfs.Server).NFS4New}
	// The worst, but for times that are a host's own affair: see TestTimesDelegated.
	zero = mount{"zero", func(s *memfs.Server, host string) *memfs.Client {
		return s.Attach(host, "zero", fsys.Traits{Type: "worst", Beats: fsys.ClockFS, Dev: 9, NameMax: 255}, memfs.Behaviour{NoWriteDelegation: true})
	}}
	all = []mount{local, nfs3, nfs4, smb, zero}
)

// The file system of the tests may not be kinder than the real ones; and whatever a mount hides of others' changes, a host
// sees its own at once.
func TestConformance(t *testing.T) {
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			s := memfs.NewServer()
			c := m.on(s, "a")
			if err := c.Mkdir("/dir", 0o755); err != nil {
				t.Fatal(err)
			}
			fsystest.Run(t, c, "/dir", fsystest.Options{InMemory: true, Advance: func() {
				s.Step(time.Second) // which the coarsest grain shows
				time.Sleep(time.Millisecond)
			}})
		})
	}
}
