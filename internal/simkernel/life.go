package simkernel

import (
	"slices"
	"syscall"
)

// Stop is SIGSTOP. The error is ESRCH if the process has ended.
func (p *Process) Stop() error { return p.set(Stopped) }

// Continue is SIGCONT. The error is ESRCH if the process has ended.
func (p *Process) Continue() error { return p.set(Running) }

func (p *Process) set(s State) error {
	defer p.m.locked()()
	if p.over() {
		return syscall.ESRCH
	}
	if p.state != LeaderLeft {
		p.state = s
	}
	return nil
}

// LeaveLeader lets the first thread call pthread_exit. If it is the only one, the process has ended.
func (p *Process) LeaveLeader() error {
	defer p.m.locked()()
	switch {
	case p.over():
		return syscall.ESRCH
	case len(p.threads) == 1:
		p.end()
	default:
		p.state = LeaderLeft
	}
	return nil
}

// Tear lets another thread than the first call execve: it takes over the process's number, and who looks in between sees the
// first one's remains. The next polls of pidfds say that the process has ended, and the next looks at its stat show a
// zombie without threads or group; so many of each.
func (p *Process) Tear(polls, looks int) {
	defer p.m.locked()()
	p.lies, p.torn = polls, looks
}

// SetGroup makes it a member of q's process group, or the leader of one of its own if q is p. The error is ESRCH if either
// is gone.
func (p *Process) SetGroup(q *Process) error {
	defer p.m.locked()()
	if p.state == Gone || q.state == Gone {
		return syscall.ESRCH
	}
	to := q.group
	if q == p {
		to = p.id
	}
	from := p.group
	to.members++
	from.members--
	p.group = to
	from.release()
	return nil
}

// Kill ends the process with all its threads. It is a zombie until it is reaped, and init's child if its parent has ended.
// If it is the init of its namespace, all that live there end with it and are reaped. The error is ESRCH if it has ended.
func (p *Process) Kill() error {
	defer p.m.locked()()
	if p.over() {
		return syscall.ESRCH
	}
	if p.ns.init == p {
		for _, q := range slices.Clone(p.m.procs) {
			if q != p && q.id.in(p.ns) != 0 {
				if !q.over() {
					q.end()
				}
				q.bury()
			}
		}
	}
	p.end()
	return nil
}

// Reap is what the parent's wait(2) does to a zombie: it is gone. The error is ECHILD if it is none.
func (p *Process) Reap() error {
	defer p.m.locked()()
	if p.state != Zombie {
		return syscall.ECHILD
	}
	p.bury()
	return nil
}

// end ends all threads.
func (p *Process) end() {
	for _, t := range p.threads[1:] {
		t.id.task = nil
		t.id.release()
	}
	p.threads = p.threads[:1]
	p.state, p.lies, p.torn = Zombie, 0, 0
	for _, q := range p.m.procs {
		if q.parent == p {
			q.parent = q.adopter()
		}
	}
}

// adopter is the nearest init around it that lives.
func (p *Process) adopter() *Process {
	for ns := p.ns; ns != nil; ns = ns.parent {
		if ns.init != nil && ns.init != p && !ns.init.over() {
			return ns.init
		}
	}
	return nil
}

// bury frees what it still had.
func (p *Process) bury() {
	p.state = Gone
	p.id.task = nil
	p.group.members--
	p.group.release()
	p.id.release()
	p.m.procs = slices.DeleteFunc(p.m.procs, func(q *Process) bool { return q == p })
}
