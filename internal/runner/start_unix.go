//go:build unix

package runner

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Process is a command's leader, first waiting, then the command.
type Process struct {
	cmd     Command
	pid     int
	ready   int // the end of the pipe that says "go"
	report  int // the end of the pipe on which a failing execve is reported
	signals chan os.Signal
}

// Start starts the leader of a new process group, which waits. From here on the signals that [Process.Interruptible] and
// [Process.Run] deal with are caught.
func Start(cmd Command) (*Process, error) {
	p := &Process{cmd: cmd, signals: make(chan os.Signal, 64)}
	p.catch() // before the fork: a signal in between would leave an orphan for a moment

	exe, err := self()
	if err != nil {
		return nil, err
	}
	ready, err := pipe()
	if err != nil {
		return nil, err
	}
	report, err := pipe()
	if err != nil {
		closeAll(ready[:])
		return nil, err
	}
	argv := append([]string{os.Args[0], leaderMark, strconv.Itoa(os.Getpid()),
		strconv.Itoa(ready[0]), strconv.Itoa(report[1]), cmd.Path}, cmd.Args...)

	// The death signal is tied to the thread that forks. A goroutine that is locked to the main thread keeps it alive.
	runtime.LockOSThread()
	// The pipes keep their numbers instead of moving to 3 and 4, which may be somebody's: whatever this process inherited
	// is the command's too.
	passOn(ready[0])
	passOn(report[1])
	p.pid, err = syscall.ForkExec(exe, argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	closeAll([]int{ready[0], report[1]})
	if err != nil {
		closeAll([]int{ready[1], report[0]})
		return nil, &ExecError{Name: cmd.name(), Code: codeCannotRun, Err: err} // E2BIG, EAGAIN, ENOMEM
	}
	p.ready, p.report = ready[1], report[0]
	return p, nil
}

// Group returns the command's process group, which is its leader's pid.
func (p *Process) Group() int { return p.pid }

// Abandon ends a leader that has not become the command, and leaves nothing of it.
func (p *Process) Abandon() {
	closeAll([]int{p.ready, p.report})
	p.wait(0)
}

// wait waits for the leader itself, never for other children: the status must be had once, here.
func (p *Process) wait(options int) (unix.WaitStatus, error) {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(p.pid, &status, options, nil)
		if !errors.Is(err, unix.EINTR) {
			return status, err
		}
	}
}

// release lets the leader become the command.
func (p *Process) release() {
	unix.Write(p.ready, []byte{1}) // EPIPE: it was killed, which wait reports
	closeAll([]int{p.ready})
}

// refusal waits until the leader is the command or has failed to become it, and returns why it failed.
func (p *Process) refusal() error {
	defer closeAll([]int{p.report})
	var buf [4]byte
	for {
		n, err := unix.Read(p.report, buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case n != len(buf):
			return nil // closed by execve, or by its death, which wait reports
		}
		errno := unix.Errno(binary.NativeEndian.Uint32(buf[:]))
		code := codeCannotRun
		if errno == unix.ENOENT {
			code = codeNotFound // removed since, or its interpreter is missing
		}
		return &ExecError{Name: p.cmd.name(), Code: code, Err: errno}
	}
}

// self is a path by which this very program can be executed again.
func self() (string, error) {
	exe, err := os.Executable()
	if err == nil {
		_, err = os.Stat(exe)
	}
	if err != nil && runtime.GOOS == "linux" {
		return "/proc/self/exe", nil // works though the file was replaced since
	}
	return exe, err
}

func pipe() (p [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(p[:]); err != nil {
		return p, os.NewSyscallError("pipe", err)
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p, nil
}

func passOn(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0) }

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
