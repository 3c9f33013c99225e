package chaos

import (
	"fmt"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// A host with the holder goes off, and stays off: nobody tells the server that its connections are gone. The lock is had by
// another host as soon as the mtime rule lets it, also when the holder's stamp was only just made, and its host has not quite
// let go of the file.
func TestHostThatStaysOff(t *testing.T) {
	netlab.Need(t)
	for _, kind := range []string{"nfs4", "nfs3", "smb"} {
		t.Run(kind, func(t *testing.T) {
			r := role{Settings: settings(kind), Locks: 1, Broken: "deaf"} // which holds for long
			c := newCampaign(t, kind, []string{"a", "b"}, r)
			for i, held := range []time.Duration{2 * time.Second, 0} {
				c.staysOff(t, fmt.Sprint("#", i), held)
			}
		})
	}
}

func (c *campaign) staysOff(t *testing.T, name string, held time.Duration) {
	t.Helper()
	a, b := c.posts["a"], c.posts["b"]
	c.start(a, "holder"+name, "a/0", "worker", 1)
	c.until(t, "a has the lock", func() bool { return c.holder("lock-0") != nil })
	time.Sleep(held)
	off := c.now()
	a.host.PowerOff()
	c.start(b, "waiter"+name, "b/0", "visitor", 1)
	c.until(t, "b has the lock", func() bool { w := c.holder("lock-0"); return w != nil && w.name == "waiter"+name })
	took := c.now() - off
	t.Logf("%s: had %v after the host went off, which had it for %v", c.kind, took.Round(time.Millisecond), held)
	s := c.role.Settings
	if most := s.Stale + s.Confirm() + s.Poll + s.Slack; took > most {
		t.Errorf("had after %v, not within %v", took, most)
	}
	a.mu.Lock()
	a.up = make(chan struct{})
	a.mu.Unlock()
	a.host.Boot()
	c.open(a)
}

// until waits for a condition.
func (c *campaign) until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within two minutes: %s", what)
		}
	}
}
