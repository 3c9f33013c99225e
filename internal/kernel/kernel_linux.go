package kernel

import (
	"os"

	"golang.org/x/sys/unix"
)

// Real is the kernel that this process runs on.
func Real() System { return system{} }

type system struct{}

func (system) Kill(pid int) error { return unix.Kill(pid, 0) }

func (system) Pidfd(pid int) (Pidfd, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, err
	}
	return pidfd(fd), nil
}

func (system) Proc() (ProcFS, error) {
	root, err := os.OpenRoot("/proc")
	if err != nil {
		return nil, err
	}
	return proc{root}, nil
}

type pidfd int32

func (fd pidfd) Readable() bool {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, 0)
		if err == unix.EINTR {
			continue
		}
		return err == nil && n == 1 && fds[0].Revents&unix.POLLIN != 0
	}
}

func (fd pidfd) Close() error { return unix.Close(int(fd)) }

type proc struct{ *os.Root }

func (p proc) Names() ([]string, error) {
	dir, err := p.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}
