package proctest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// A Call is a system call that the child is about to make.
type Call struct {
	N    int    // the first is 1, and so on, over all threads
	Name string // "openat"
	Path string // the file meant, as an absolute path
	Make bool   // an open that may create
	Dir  bool   // an unlinkat that is an rmdir
}

func (c Call) String() string { return fmt.Sprintf("%d %s (%s)", c.N, c.What(), filepath.Base(c.Path)) }

// What says in a few words what the call does, with no name of a stamp.
func (c Call) What() string {
	what := c.Name
	switch {
	case c.Make:
		what = "create"
	case c.Dir:
		what = "rmdir"
	}
	switch base := filepath.Base(c.Path); {
	case base == stamp.Vacant:
		return what + " marker"
	case strings.HasPrefix(base, stamp.Prefix):
		return what + " stamp"
	case strings.HasPrefix(base, "mkdirlock-"):
		return what + " parent"
	default:
		return what + " " + base
	}
}

// Mutates reports whether the call changes a file or directory.
func (c Call) Mutates() bool {
	switch c.Name {
	case "openat", "open", "openat2":
		return c.Make
	case "statx", "newfstatat", "stat", "lstat", "faccessat", "readlinkat", "statfs", "fstatfs", "fstat", "getdents64",
		"read", "pread64", "close", "flock", "inotify_add_watch":
		return false
	}
	return true
}

// A Reply says what becomes of a call. The zero value lets it go on.
type Reply struct {
	Errno unix.Errno // not zero: the call is not made and fails with this
	Fake  bool       // the call is not made and returns 0
}

// Guard has every system call on root and on what is below it put to f before it is made. While f does not return, the
// child is about to make that call; other threads go on, and their calls are put to f at the same time. Of calls that come one
// after the other, f may keep account without a lock.
//
// (strace injects faults, too, but counts calls for each thread by itself, and a goroutine is not kept to one thread: "the
// 5th call of this acquisition" cannot be told to it.)
func (p *Proc) Guard(root string, f func(Call) Reply) {
	p.t.Helper()
	socket := filepath.Join(shortDir(p.t), "guard")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		p.t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Chmod(socket, 0o777); err != nil {
		p.t.Fatal(err)
	}
	p.Send("guard", socket)
	conn, err := listener.Accept()
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	data, oob := make([]byte, 1), make([]byte, 100)
	_, n, _, _, err := conn.(*net.UnixConn).ReadMsgUnix(data, oob)
	if err != nil {
		p.t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) == 0 {
		p.t.Fatalf("%s sent no descriptor (%v): %v", p.ID, err, p.Log())
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		p.t.Fatal(err)
	}
	unix.CloseOnExec(fds[0])
	g := &guardian{proc: p, fd: fds[0], root: root, f: f}
	go g.serve()
	p.Expect("OK", Patience)
}

// shortDir returns a directory whose name leaves room for a socket's.
func shortDir(t testing.TB) string {
	t.Helper()
	return tempDir(t, os.TempDir())
}

type guardian struct {
	proc *Proc
	fd   int
	root string
	f    func(Call) Reply
	n    int
}

// question and answer are the kernel's struct seccomp_notif and seccomp_notif_resp.
type question struct {
	id         uint64
	pid, flags uint32
	nr         int32
	arch       uint32
	ip         uint64
	args       [6]uint64
}

type answer struct {
	id    uint64
	val   int64
	err   int32
	flags uint32
}

// serve answers until the child and all of its threads are gone.
func (g *guardian) serve() {
	defer unix.Close(g.fd)
	for {
		fds := []unix.PollFd{{Fd: int32(g.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		} else if err != nil {
			return
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			return
		}
		var q question
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(g.fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&q))); errno != 0 {
			continue // it was killed before we looked
		}
		call, ours := g.read(q)
		if !ours {
			g.reply(q, Reply{})
			continue
		}
		g.n++
		call.N = g.n
		g.proc.note("calls", call.String())
		go func() {
			r := g.f(call)
			// What f wrote is seen by the f of the next call and by the test once it has the child's answer, if they come
			// after it: the kernel sees to the order, but the race detector only knows of locks.
			g.proc.mu.Lock()
			g.proc.mu.Unlock() //lint:ignore SA2001 see above
			g.reply(q, r)
		}()
	}
}

func (g *guardian) reply(q question, r Reply) {
	a := answer{id: q.id}
	switch {
	case r.Errno != 0:
		a.err = -int32(r.Errno)
	case !r.Fake:
		a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	unix.Syscall(unix.SYS_IOCTL, uintptr(g.fd), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a))) // ENOENT: it is dead
}

// read finds out which file a call is about, and whether that is below the root.
func (g *guardian) read(q question) (Call, bool) {
	info := calls[int(q.nr)]
	c := Call{Name: info.name}
	fd, path := int64(unix.AT_FDCWD), ""
	switch info.shape {
	case onlyFD:
		fd = int64(int32(q.args[0]))
	case onlyPath:
		path = text(q.pid, q.args[0])
	case atPath, atPath2:
		i := 0
		if info.shape == atPath2 && info.name == "symlinkat" {
			i = 1
		} else if info.shape == atPath2 {
			path = text(q.pid, q.args[1])
			break
		}
		fd, path = int64(int32(q.args[i])), text(q.pid, q.args[i+1])
	}
	switch info.name {
	case "openat":
		c.Make = q.args[2]&unix.O_CREAT != 0
	case "unlinkat":
		c.Dir = q.args[2]&unix.AT_REMOVEDIR != 0
	}
	if !filepath.IsAbs(path) {
		at := "cwd"
		if fd != unix.AT_FDCWD {
			at = "fd/" + strconv.FormatInt(fd, 10)
		}
		base, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", q.pid, at))
		if err != nil {
			return c, false
		}
		path = filepath.Join(strings.TrimSuffix(base, " (deleted)"), path)
	}
	c.Path = filepath.Clean(path)
	return c, c.Path == g.root || strings.HasPrefix(c.Path, g.root+"/")
}

// text reads a string in the memory of a process that waits in a call.
func text(pid uint32, address uint64) string {
	if address == 0 {
		return ""
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer memory.Close()
	buffer := make([]byte, 4096)
	n, _ := memory.ReadAt(buffer, int64(address)) // short where the page ends
	if end := bytes.IndexByte(buffer[:n], 0); end >= 0 {
		return string(buffer[:end])
	}
	return ""
}
