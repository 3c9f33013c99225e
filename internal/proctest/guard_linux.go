package proctest

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guard makes this process ask the test before each call of calls, from here on and in all of its threads, and hands the
// descriptor at which it asks to whoever listens at socket.
func guard(socket string) error {
	conn, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(conn, &unix.SockaddrUnix{Name: socket}); err != nil {
		return err
	}
	const number = 0 // offset of the call's number in seccomp_data
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	for nr := range calls {
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jt: 0, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	// Once the test has a question it is not put again because a signal came (the Go runtime sends some).
	const flags = unix.SECCOMP_FILTER_FLAG_TSYNC | unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH |
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	// No call of calls may come before this one: nobody would answer.
	if err := unix.Sendmsg(conn, []byte("."), unix.UnixRights(int(listener)), nil, 0); err != nil {
		return err
	}
	unix.Close(int(listener))
	return unix.Close(conn)
}

// shape says where a call's file is in its arguments.
type shape uint8

const (
	atPath   shape = iota // descriptor of a directory, path
	atPath2               // another argument, then as atPath
	onlyPath              // path
	onlyFD                // descriptor
)

type callInfo struct {
	name  string
	shape shape
}

// calls are the system calls that can concern a file of a lock, on every machine. Those that only some have are in
// calls_*.go.
var calls = map[int]callInfo{
	unix.SYS_MKDIRAT:           {"mkdirat", atPath},
	unix.SYS_OPENAT:            {"openat", atPath},
	unix.SYS_OPENAT2:           {"openat2", atPath},
	unix.SYS_UNLINKAT:          {"unlinkat", atPath},
	unix.SYS_STATX:             {"statx", atPath},
	unix.SYS_UTIMENSAT:         {"utimensat", atPath},
	unix.SYS_FCHMODAT:          {"fchmodat", atPath},
	unix.SYS_FACCESSAT:         {"faccessat", atPath},
	unix.SYS_READLINKAT:        {"readlinkat", atPath},
	unix.SYS_RENAMEAT2:         {"renameat2", atPath},
	unix.SYS_LINKAT:            {"linkat", atPath},
	unix.SYS_SYMLINKAT:         {"symlinkat", atPath2},
	unix.SYS_INOTIFY_ADD_WATCH: {"inotify_add_watch", atPath2},
	unix.SYS_STATFS:            {"statfs", onlyPath},
	unix.SYS_FSTATFS:           {"fstatfs", onlyFD},
	unix.SYS_FSTAT:             {"fstat", onlyFD},
	unix.SYS_FCHMOD:            {"fchmod", onlyFD},
	unix.SYS_FSYNC:             {"fsync", onlyFD},
	unix.SYS_FLOCK:             {"flock", onlyFD},
	unix.SYS_GETDENTS64:        {"getdents64", onlyFD},
	unix.SYS_READ:              {"read", onlyFD},
	unix.SYS_PREAD64:           {"pread64", onlyFD},
	unix.SYS_WRITE:             {"write", onlyFD},
	unix.SYS_CLOSE:             {"close", onlyFD},
}
