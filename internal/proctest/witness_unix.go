//go:build unix && !solaris && !aix

package proctest

import (
	"os"

	"golang.org/x/sys/unix"
)

// alone locks the file for as long as it stays open; false: somebody else has it locked.
func alone(file *os.File) bool {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
