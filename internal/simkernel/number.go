package simkernel

import "syscall"

// A Namespace is a pid namespace. Who is in it has a number there and in each one around it.
type Namespace struct {
	m      *Machine
	ino    uint64
	parent *Namespace
	level  int

	table map[int]*number // by what they are here; only ever looked up
	last  int             // the number that was given out last
	max   int             // the largest that is given out unasked
	init  *Process        // the first process ever in it
}

// Child makes a namespace within this one. The first process in it is its init, with the number 1.
func (ns *Namespace) Child() *Namespace {
	defer ns.m.locked()()
	ns.m.ino++
	return &Namespace{m: ns.m, ino: ns.m.ino, parent: ns, level: ns.level + 1, max: ns.max, table: map[int]*number{}}
}

// Ino is its inode number.
func (ns *Namespace) Ino() uint64 { return ns.ino }

// Machine is whose namespace it is.
func (ns *Namespace) Machine() *Machine { return ns.m }

// SetMax is kernel.pid_max: after this number comes the lowest that is free, so that with a small one they are soon used
// again.
func (ns *Namespace) SetMax(pid int) {
	defer ns.m.locked()()
	ns.max = pid
}

// at is the namespace of this level that ns is in.
func (ns *Namespace) at(level int) *Namespace {
	for ns.level > level {
		ns = ns.parent
	}
	return ns
}

// free finds the number to give out next, 0 if there is none.
func (ns *Namespace) free() int {
	for pid := ns.last + 1; pid <= ns.max; pid++ {
		if ns.table[pid] == nil {
			return pid
		}
	}
	for pid := 1; pid <= min(ns.last, ns.max); pid++ {
		if ns.table[pid] == nil {
			return pid
		}
	}
	return 0
}

// number is what names a task or a process group: the kernel's struct pid. It is given to nobody else while it names either,
// so a group whose leader is gone keeps the leader's number busy.
type number struct {
	ns      *Namespace // the innermost
	nr      []int      // by level, from the initial namespace's
	task    *thread    // nil: it names a group alone
	members int        // of the group that it names
}

// number gives one out, in ns the one that is asked for, if any.
func (ns *Namespace) number(asked int) (*number, error) {
	n := &number{ns: ns, nr: make([]int, ns.level+1)}
	for level := range n.nr {
		at := ns.at(level)
		n.nr[level] = at.free()
		if at == ns && asked != 0 {
			if at.table[asked] != nil {
				return nil, syscall.EEXIST
			}
			n.nr[level] = asked
		}
		if n.nr[level] == 0 {
			return nil, syscall.EAGAIN
		}
	}
	for level, pid := range n.nr {
		at := ns.at(level)
		at.table[pid] = n
		if at != ns || asked == 0 {
			at.last = pid
		}
	}
	return n, nil
}

// in is the number as seen in a namespace, 0 if it is not seen there.
func (n *number) in(ns *Namespace) int {
	if n == nil || ns.level > n.ns.level || n.ns.at(ns.level) != ns {
		return 0
	}
	return n.nr[ns.level]
}

// release frees the number if it names nothing any more.
func (n *number) release() {
	if n.task != nil || n.members > 0 {
		return
	}
	for level, pid := range n.nr {
		delete(n.ns.at(level).table, pid)
	}
}
