//go:build freebsd || netbsd

package stamp

import (
	"os"

	"golang.org/x/sys/unix"
)

// unprivileged reports whether this user may be kept from seeing others' processes.
func unprivileged() bool { return os.Geteuid() != 0 }

// isSet reports whether a number of the kernel's has the value.
func isSet(name string, value uint32) bool {
	got, err := unix.SysctlUint32(name)
	return err == nil && got == value
}
