package proptest

import (
	"time"

	"github.com/aac6cccc/mkdirlock/internal/memfs"
)

// mount is what a host sees of what is shared. A host that was rebooted remembers nothing.
func (w *World) mount(h *Host) *memfs.Client {
	var c *memfs.Client
	name := h.name + "/" + time.Since(w.trace.began).String()
	switch w.Config.Mount {
	case NFS3:
		c = w.server.NFS3(name)
	case NFS4:
		c = w.server.NFS4(name)
	case SMB:
		c = w.server.SMB(name)
	default:
		c = w.server.Local()
		boot := h.machine.Boot()
		c.Kernel = string(boot[:]) // whose locks another kernel, if there were one on a local file system, would not see
	}
	c.Offset = func() time.Duration { return h.wall }
	return c
}
