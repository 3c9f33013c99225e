package proptest

import (
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// mount is what a host sees of what is shared. A host that was rebooted remembers nothing.
func (w *World) mount(h *Host) *memfs.Client {
	var c *memfs.Client
	name := h.name + "/" + time.Since(w.trace.began).String()
	switch h.kind {
	case NFS3:
		c = w.server.NFS3(name)
	case NFS4:
		c = w.server.NFS4(name)
	case NFS4New:
		c = w.server.NFS4New(name)
	case SMB:
		c = w.server.SMB(name)
	default:
		c = w.server.Local()
		boot := h.machine.Boot()
		c.Kernel = string(boot[:]) // whose locks another kernel, if there were one on a local file system, would not see
	}
	if !w.Config.Usual {
		keep := 10 * time.Minute
		if h.kind == SMB {
			keep = 30 * time.Second
		}
		c.Keep(keep)
	}
	c.Offset = h.ahead
	return c
}

// reached reports whether the server can reach the host that has this mount. One that was rebooted has told it that it has nothing any more.
func (w *World) reached(c *memfs.Client) bool {
	for _, h := range w.hosts {
		if h.mount == c {
			return !h.cut && !h.asleep
		}
	}
	return true
}

// recalls returns for how long the server lets a call wait, because it waits for a host that has got what the call is about.
func (w *World) recalls(c *call) time.Duration {
	if c.acted {
		return 0
	}
	left, host := c.p.host.mount.Waits(c.op, c.path, w.reached)
	if left > 0 {
		w.judge.delayed(c, host)
	}
	return left
}
