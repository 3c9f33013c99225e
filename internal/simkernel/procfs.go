package simkernel

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A Mount is what a process has at /proc. It may be another namespace's than its own: a process that was given a new pid
// namespace and no new /proc sees the old one's, under whose numbers are others.
type Mount struct {
	Of   *Namespace // whose processes it shows; nil: /proc is an empty directory
	Hide Hide
}

// Hide is the mount option hidepid.
type Hide string

// What is shown of other users' processes to any but root.
const (
	HideNothing Hide = ""
	NoAccess    Hide = "noaccess"   // that they are there
	Invisible   Hide = "invisible"  // nothing
	Ptraceable  Hide = "ptraceable" // nothing
)

// MountProc puts something else at the process's /proc. What is held open stays what it is.
func (p *Process) MountProc(mount Mount) {
	defer p.m.locked()()
	p.mount = mount
}

type procfs struct {
	handle
	Mount
}

func (f *procfs) ReadFile(name string) ([]byte, error) {
	text, err := f.ask("read", "openat", name, f.text)
	return []byte(text), err
}

func (f *procfs) Readlink(name string) (string, error) {
	return f.ask("readlink", "readlinkat", name, f.link)
}

func (f *procfs) ask(call, op, name string, answer func(string) (string, error)) (string, error) {
	err := f.before(call, name)
	defer f.p.m.locked()()
	text := ""
	switch {
	case err != nil:
	case f.closed:
		err = fs.ErrClosed
	case f.Of == nil:
		err = syscall.ENOENT
	default:
		text, err = answer(name)
	}
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: err}
	}
	return text, nil
}

// Names lists processes by their numbers, as the kernel does, and no other threads.
func (f *procfs) Names() ([]string, error) {
	if err := f.before("list", "."); err != nil {
		return nil, &fs.PathError{Op: "readdirent", Path: ".", Err: err}
	}
	defer f.p.m.locked()()
	if f.closed {
		return nil, &fs.PathError{Op: "openat", Path: ".", Err: fs.ErrClosed}
	}
	if f.Of == nil {
		return nil, nil
	}
	var pids []int
	for _, q := range f.p.m.procs {
		if pid := q.id.in(f.Of); pid != 0 && (f.Hide == NoAccess || f.shows(q)) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	names := []string{"cmdline", "self", "sys", "thread-self", "uptime"}
	for _, pid := range pids {
		names = append(names, strconv.Itoa(pid))
	}
	return names, nil
}

// shows reports whether hidepid lets the process read another's files.
func (f *procfs) shows(q *Process) bool {
	return f.Hide == HideNothing || f.p.uid == 0 || f.p.uid == q.uid
}

func (f *procfs) text(name string) (string, error) {
	if name == "sys/kernel/random/boot_id" {
		b := f.p.m.boot
		return fmt.Sprintf("%x-%x-%x-%x-%x\n", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
	}
	t, file, err := f.find(name)
	if err != nil {
		return "", err
	}
	switch file {
	case "stat":
		return f.stat(t), nil
	case "status":
		return f.status(t), nil
	case "mountinfo":
		return f.mountinfo(), nil
	}
	return "", syscall.ENOENT
}

func (f *procfs) link(name string) (string, error) {
	if name == "self" {
		if pid := f.self(); pid != 0 {
			return strconv.Itoa(pid), nil
		}
		return "", syscall.ENOENT
	}
	t, file, err := f.find(name)
	if err != nil {
		return "", err
	}
	link := ""
	switch file {
	case "ns/pid":
		link = fmt.Sprintf("pid:[%d]", t.proc.ns.ino)
	case "ns/time":
		link = fmt.Sprintf("time:[%d]", t.proc.time.ino)
	default:
		return "", syscall.ENOENT
	}
	if f.p.uid != 0 && f.p.uid != t.proc.uid {
		return "", syscall.EACCES
	}
	return link, nil
}

// self is the asker's number in the namespace that is shown, 0 if it is not seen there or gone.
func (f *procfs) self() int {
	if f.p.state == Gone {
		return 0
	}
	return f.p.id.in(f.Of)
}

// find splits "self/status" or "12/status" and finds whose it is.
func (f *procfs) find(name string) (*thread, string, error) {
	dir, file, _ := strings.Cut(name, "/")
	pid, err := strconv.Atoi(dir)
	switch {
	case dir == "self":
		if pid = f.self(); pid == 0 {
			return nil, "", syscall.ENOTDIR // what os.Root makes of a link that leads nowhere
		}
	case err != nil || dir != strconv.Itoa(pid):
		return nil, "", syscall.ENOENT
	}
	id := f.Of.table[pid]
	switch {
	case id == nil || id.task == nil:
		return nil, "", syscall.ENOENT
	case f.shows(id.task.proc):
		return id.task, file, nil
	case f.Hide == NoAccess:
		return nil, "", syscall.EPERM
	}
	return nil, "", syscall.ENOENT
}
