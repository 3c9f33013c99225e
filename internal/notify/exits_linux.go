package notify

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitSystem opens pidfds (Linux 5.3), which need no right to the process. For each a goroutine waits in the runtime's poller, and no
// thread.
type exitSystem struct{}

type pidfd struct {
	file *os.File
	conn syscall.RawConn
}

func (exitSystem) open(pid int, ended func()) (handle, error) {
	fd, err := unix.PidfdOpen(pid, 0) // it is always closed on exec
	if errors.Is(err, unix.ESRCH) {
		return nil, ErrNoProcess
	}
	if err != nil {
		return nil, os.NewSyscallError("pidfd_open", err)
	}
	// PIDFD_NONBLOCK would do this, since Linux 5.10.
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	file, err := pollable(fd, "pidfd")
	if err != nil {
		return nil, err
	}
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	go func() {
		// Read has the poller wait whenever its function says no. A pidfd can be polled, but not read.
		if conn.Read(readable) == nil {
			ended()
		}
	}()
	return pidfd{file, conn}, nil
}

func (p pidfd) over() (yes bool) {
	_ = p.conn.Control(func(fd uintptr) { yes = readable(fd) }) // closed: not asked
	return yes
}

func (p pidfd) close() { p.file.Close() }

// readable says of a pidfd that its process has ended: that no thread of it is left.
func readable(fd uintptr) bool {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 1 && fds[0].Revents&unix.POLLIN != 0
		}
	}
}
