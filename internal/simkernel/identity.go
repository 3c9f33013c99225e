package simkernel

// Identity is what a process can know of itself: the fields of stamp.Identity, and as there a part that cannot be read is
// zero.
type Identity struct {
	PID      int
	Start    uint64
	Boot     [16]byte
	PIDNS    uint64
	TimeNS   uint64
	Host     string
	ProcOurs bool
}

// Identity is who the process is by what it has at /proc now.
func (p *Process) Identity() Identity {
	defer p.m.locked()()
	id := Identity{PID: p.id.in(p.ns), Host: p.m.host}
	if p.mount.Of == nil {
		return id
	}
	id.Boot = p.m.boot
	if p.state == Gone || p.id.in(p.mount.Of) == 0 {
		return id // /proc/self leads nowhere
	}
	id.Start, id.PIDNS, id.TimeNS = p.start+uint64(p.time.ahead), p.ns.ino, p.time.ino
	id.ProcOurs = p.mount.Of == p.ns
	return id
}
