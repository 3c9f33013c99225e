package chaos

import (
	"context"
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
			c.begun = time.Now()
			for i, held := range []time.Duration{2 * time.Second, 0} {
				c.staysOff(t, fmt.Sprint("#", i), held)
			}
			for _, p := range c.problem {
				t.Error(p)
			}
		})
	}
}

func (c *campaign) staysOff(t *testing.T, name string, held time.Duration) {
	t.Helper()
	a, b := c.posts["a"], c.posts["b"]
	c.awaitEnter(t, c.start(a, "holder"+name, "a/0", "worker", 1))
	time.Sleep(held)
	off := c.now()
	a.host.PowerOff()
	waiter := c.start(b, "waiter"+name, "b/0", "visitor", 1)
	took := c.awaitEnter(t, waiter) - off
	t.Logf("%s: had %v after the host went off, which had it for %v", c.kind, took.Round(time.Millisecond), held)
	s := c.role.Settings
	// Five seconds for a kernel to end and a program to start on a busy machine. A server that waits for the host would take ten at the least.
	most := s.Stale + s.Confirm() + s.Poll + s.Slack + 5*time.Second
	if c.kind == "smb" && held == 0 {
		// For a second after it has closed a file an SMB client has it still, and who removes it waits until the server has found out
		// that this client is gone: Samba finds that no answer to its question gets through, in some 7 s.
		most += 10 * time.Second
	}
	if took > most {
		t.Errorf("had after %v, not within %v", took, most)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if code, err := waiter.proc.Wait(ctx); err != nil || code != 0 {
		t.Errorf("who had it then: %d, %v", code, err)
	}
	a.mu.Lock()
	a.up = make(chan struct{})
	a.mu.Unlock()
	a.host.Boot()
	c.open(a)
}

// awaitEnter waits until a process says that it has a lock, and returns when that was heard.
func (c *campaign) awaitEnter(t *testing.T, w *witness) time.Duration {
	t.Helper()
	if w == nil {
		t.Fatal("a process could not be started")
	}
	entered := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, r := range c.order {
			if r.by == w && r.Kind == Enter {
				return true
			}
		}
		return false
	}
	for end := time.Now().Add(time.Minute); !entered(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s has no lock within a minute", w.name)
		}
	}
	return c.now()
}
