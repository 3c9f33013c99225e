package stamp

import (
	"os"
	"sync"
)

var self struct {
	mu sync.Mutex
	id Identity // of the process with pid id.PID; the zero Identity until read
}

// Self returns who this process is. It never fails: what cannot be read is
// zero, which means unknown, and an unknown boot or namespace makes every owner
// foreign. It is read once and then kept, so that all stamps of a process say
// the same, whatever becomes of the host's name or of /proc; a forked child,
// whose pid differs, reads its own. Only when the process had run out of
// descriptors or memory is it read again at the next call.
//
// # Linux
//
// Boot is /proc/sys/kernel/random/boot_id, PIDNS and TimeNS are the inode
// numbers of /proc/self/ns/pid and /proc/self/ns/time, Start is field 22 of
// /proc/self/stat: clock ticks since boot, as seen in that time namespace. On a
// kernel without time namespaces (before 5.6, or built without them) TimeNS
// is 1, since all its processes share one. Without /proc everything but PID and
// Host is unknown.
//
// # Other systems
//
// See the per-system files, each of which names what it uses and where that is
// documented. Systems with one pid space report PIDNS 1, and those whose start
// times are comparable everywhere TimeNS 1. ProcOurs there says that the kernel
// can be asked about other processes, by sysctl or handle.
func Self() Identity {
	pid := os.Getpid()
	self.mu.Lock()
	defer self.mu.Unlock()
	if self.id.PID == pid {
		return self.id
	}
	id, exhausted := here.identify(pid)
	if host, err := os.Hostname(); err == nil {
		id.Host = host
	}
	if !exhausted {
		self.id = id
	}
	return id
}
