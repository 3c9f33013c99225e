package simkernel

import (
	"io/fs"
	"strconv"
	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
)

// View is the kernel as the process sees it. Before each call, before is asked with the call's name ("kill", "pidfd_open",
// "poll", "proc", "read", "readlink", "list") and what it is about, a number or a name; an error that it returns is the
// call's, a poll then says nothing. It may be nil.
func (p *Process) View(before func(call, arg string) error) kernel.System {
	if before == nil {
		before = func(string, string) error { return nil }
	}
	return view{p, before}
}

type view struct {
	p      *Process
	before func(call, arg string) error
}

func (v view) Kill(pid int) error {
	if err := v.before("kill", strconv.Itoa(pid)); err != nil {
		return err
	}
	defer v.p.m.locked()()
	n := int(int32(pid)) // a pid_t has no more
	if n > 0 {
		t := v.p.ns.table[n]
		if t == nil || t.task == nil {
			return syscall.ESRCH
		}
		return v.mayKill(t.task.proc)
	}
	err := error(syscall.ESRCH)
	for _, q := range v.p.m.procs {
		nr := q.id.in(v.p.ns)
		switch {
		case n == -1 && (nr <= 1 || q == v.p),
			n == 0 && q.group != v.p.group,
			n < -1 && q.group.in(v.p.ns) != -n:
			continue
		}
		if err = v.mayKill(q); err == nil {
			return nil
		}
	}
	return err
}

func (v view) mayKill(q *Process) error {
	if v.p.uid != 0 && v.p.uid != q.uid {
		return syscall.EPERM
	}
	return nil
}

func (v view) Pidfd(pid int) (kernel.Pidfd, error) {
	if err := v.before("pidfd_open", strconv.Itoa(pid)); err != nil {
		return nil, err
	}
	defer v.p.m.locked()()
	n := int(int32(pid))
	if n <= 0 {
		return nil, syscall.EINVAL
	}
	id := v.p.ns.table[n]
	switch {
	case id == nil || id.task == nil:
		return nil, syscall.ESRCH
	case id.task.proc.id != id: // another thread than the first
		return nil, syscall.ENOENT
	}
	return &pidfd{v.open(), id.task.proc}, nil
}

func (v view) Proc() (kernel.ProcFS, error) {
	err := v.before("proc", "/proc")
	defer v.p.m.locked()()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: "/proc", Err: err}
	}
	return &procfs{v.open(), v.p.mount}, nil
}

// handle is something to close.
type handle struct {
	view
	closed bool
}

func (v view) open() handle {
	v.p.m.handles++
	return handle{view: v}
}

func (h *handle) Close() error {
	defer h.p.m.locked()()
	if h.closed {
		return syscall.EBADF
	}
	h.closed = true
	h.p.m.handles--
	return nil
}

type pidfd struct {
	handle
	of *Process
}

func (fd *pidfd) Readable() bool {
	if fd.before("poll", strconv.Itoa(fd.of.PID())) != nil {
		return false
	}
	defer fd.p.m.locked()()
	if fd.of.lies > 0 && !fd.closed {
		fd.of.lies--
		return true
	}
	return fd.of.over() && !fd.closed
}
