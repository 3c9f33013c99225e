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
		c.Kernel = string(boot[:]) // a clone is on its model's: nobody else reaches a local file system
	}
	c.Offset = func() time.Duration { return h.wall }
	return c
}
