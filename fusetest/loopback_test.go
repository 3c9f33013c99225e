//go:build linux

package fusetest

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// loopbackVar makes this program one that starts the loopback device of its network namespace and becomes the command that its arguments are.
const loopbackVar = "FUSETEST_LOOPBACK"

func loopbackMain() {
	if os.Getenv(loopbackVar) == "" {
		return
	}
	os.Unsetenv(loopbackVar)
	err := loopbackUp()
	if err == nil {
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "fusetest: the loopback device:", err)
	os.Exit(1)
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
