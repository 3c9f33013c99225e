package memfs

import (
	"time"

	"github.com/aac6cccc/mkdirlock/internal/fsys"
)

// A Client is the server's tree as one host mounts it. What it remembers is shared by all processes of the host.
type Client struct {
	*Server
	Kind   fsys.Traits
	Offset func() time.Duration // how far this host's clock is ahead; used where Kind says that beats carry it
	Kernel string               // of a local mount: whose locks it has. Those of another kernel are not seen

	plain bool      // it remembers nothing
	b     Behaviour // settled
}

var _ fsys.FS = (*Client)(nil)

type mounted struct {
	host, kind string
	c          *Client
}

// Local returns a new client as on one machine.
func (s *Server) Local() *Client {
	return &Client{
		Server: s, plain: true, b: none.settled(),
		Kind: fsys.Traits{Type: "memfs", Local: true, Guards: true, Beats: fsys.ClockFS, Dev: 1, NameMax: nameMax},
	}
}

// NFS3 returns the host's NFSv3 mount: the same at each call.
func (s *Server) NFS3(host string) *Client {
	return s.Attach(host, "nfs3", fsys.Traits{Type: "nfs", Beats: fsys.ClockFS, Dev: 3, NameMax: nameMax, KeepsNames: true}, NFSv3())
}

// NFS4 returns the host's NFSv4.2 mount: the same at each call.
func (s *Server) NFS4(host string) *Client {
	return s.Attach(host, "nfs4", fsys.Traits{Type: "nfs", Beats: fsys.ClockFS, Dev: 4, NameMax: nameMax, KeepsNames: true}, NFSv4())
}

// NFS4New returns the host's NFSv4.2 mount between newer kernels: the same at each call.
func (s *Server) NFS4New(host string) *Client {
	return s.Attach(host, "nfs4new", fsys.Traits{Type: "nfs", Beats: fsys.ClockFS, Dev: 6, NameMax: nameMax, KeepsNames: true}, NFSv4New())
}

// SMB returns the host's SMB 3.1.1 mount: the same at each call.
func (s *Server) SMB(host string) *Client {
	return s.Attach(host, "smb",
		fsys.Traits{Type: "smb2", Beats: fsys.ClockClient, DeletePending: true, Dev: 5, NameMax: nameMax}, SMB3())
}

// Attach returns the host's mount called so, with any behaviour. A later call for the same two names returns the same client
// and ignores the rest.
func (s *Server) Attach(host, name string, kind fsys.Traits, b Behaviour) *Client {
	s.enter()
	defer s.mu.Unlock()
	for _, m := range s.mounted {
		if m.host == host && m.kind == name {
			return m.c
		}
	}
	c := &Client{Server: s, Kind: kind, b: b.settled()}
	s.mounted = append(s.mounted, mounted{host, name, c})
	return c
}

// Keep has the mount keep for so long what it was told, as the option actimeo of NFS and SMB has it: what a plain stat says, and for what a name
// stands. (Measured: names on NFS and that of a removed directory on SMB, with 600 and 30 s; a missing one stays so for a second on SMB all the same.)
func (c *Client) Keep(d time.Duration) {
	c.enter()
	defer c.mu.Unlock()
	for _, age := range []*time.Duration{&c.b.AttrAge, &c.b.ExistAge, &c.b.PathAge} {
		if *age > 0 {
			*age = d
		}
	}
	if c.b.PathAge > 0 {
		c.b.MissingAge = d
	}
	c.b.AttrGrows = false
}

// beat is the time that Touch sets.
func (c *Client) beat(now, date time.Time) time.Time {
	if c.Kind.Beats == fsys.ClockClient {
		return date
	}
	return c.stamp(now)
}

// own is this host's time.
func (c *Client) own(now time.Time) time.Time {
	t := now
	if c.Offset != nil {
		t = t.Add(c.Offset())
	}
	return t.Truncate(c.b.Grain)
}
