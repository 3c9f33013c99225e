package simkernel

import "syscall"

// State is how far the life of a process has come.
type State uint8

// The states of a process.
const (
	Running    State = iota // it runs or sleeps
	Stopped                 // by SIGSTOP
	LeaderLeft              // its first thread has called pthread_exit and shows as a zombie; others live
	Zombie                  // it has ended, and its parent has not been told
	Gone                    // its number is free, unless its group has members yet
)

// A Process is one of a Machine's.
type Process struct {
	m      *Machine
	id     *number
	ns     *Namespace
	parent *Process
	uid    int
	group  *number
	time   *TimeNS
	start  uint64

	state   State
	threads []*thread // the first one is kept until it is gone
	mount   Mount

	lies, torn int // see Tear
}

// thread is one task of a process; its first one carries the process's number.
type thread struct {
	id    *number
	proc  *Process
	start uint64
}

// Spec is what a new process shall be. The zero value is root's, leads a group of its own and has one thread.
type Spec struct {
	PID     int      // in its namespace; 0: the next one that is free
	Parent  *Process // nil: the namespace's init, if it is another
	UID     int
	Group   *Process // whose process group to be in; nil: its own
	Threads int      // how many besides the first; each has a number of its own, after the process's
	Time    *TimeNS  // nil: the parent's
	Mount   *Mount   // nil: the parent's if one was named, else its own namespace's /proc
}

// Spawn starts a process, now. The error is EEXIST if its number is taken, EAGAIN if there is none, ENOMEM if the namespace's
// init has ended, ESRCH if the parent has, or the group is gone.
func (ns *Namespace) Spawn(spec Spec) (*Process, error) {
	defer ns.m.locked()()
	return ns.spawn(spec)
}

func (ns *Namespace) spawn(spec Spec) (*Process, error) {
	switch {
	case ns.init != nil && ns.init.over():
		return nil, syscall.ENOMEM
	case ns.init == nil && spec.PID > 1, spec.PID < 0, spec.Threads < 0:
		return nil, syscall.EINVAL
	case spec.Parent != nil && spec.Parent.over(), spec.Group != nil && spec.Group.state == Gone:
		return nil, syscall.ESRCH
	}
	m := ns.m
	p := &Process{m: m, ns: ns, parent: spec.Parent, uid: spec.UID, time: m.time, start: m.now, mount: Mount{Of: ns}}
	if p.parent != nil {
		p.time, p.mount = p.parent.time, p.parent.mount
	} else {
		p.parent = ns.init
	}
	if spec.Time != nil {
		p.time = spec.Time
	}
	if spec.Mount != nil {
		p.mount = *spec.Mount
	}
	if err := p.thread(spec.PID); err != nil {
		return nil, err
	}
	p.id, p.group = p.threads[0].id, p.threads[0].id
	if spec.Group != nil {
		p.group = spec.Group.group
	}
	p.group.members++
	m.procs = append(m.procs, p)
	for range spec.Threads {
		if err := p.thread(0); err != nil {
			p.end()
			p.bury()
			return nil, err
		}
	}
	if ns.init == nil {
		ns.init = p
	}
	return p, nil
}

// thread starts one more.
func (p *Process) thread(pid int) error {
	id, err := p.ns.number(pid)
	if err == nil {
		id.task = &thread{id, p, p.m.now}
		p.threads = append(p.threads, id.task)
	}
	return err
}

// over reports whether all threads have ended.
func (p *Process) over() bool { return p.state >= Zombie }

// PID is its number in its own namespace.
func (p *Process) PID() int { return p.id.in(p.ns) }

// PIDIn is its number in another namespace, 0 if it is not seen there.
func (p *Process) PIDIn(ns *Namespace) int { return p.id.in(ns) }

// Start is when it started, in ticks of the initial time namespace.
func (p *Process) Start() uint64 { return p.start }

// State says how far its life has come.
func (p *Process) State() State {
	defer p.m.locked()()
	return p.state
}

// Threads are the numbers of its threads in its own namespace, the process's first.
func (p *Process) Threads() []int {
	defer p.m.locked()()
	var tids []int
	for _, t := range p.threads {
		tids = append(tids, t.id.in(p.ns))
	}
	return tids
}

// Namespace is the pid namespace that it lives in.
func (p *Process) Namespace() *Namespace { return p.ns }
