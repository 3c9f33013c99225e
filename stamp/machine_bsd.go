//go:build netbsd || openbsd

package stamp

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// machineAndInit makes a token of the machine's uuid by the name of its sysctl and
// the start of pid 1, in units of so many microseconds.
func machineAndInit(sysctl string, unit uint64) (string, error) {
	text, err := unix.Sysctl(sysctl)
	if err != nil {
		return "", err
	}
	if !machineUUID(text) {
		return "", fmt.Errorf("%s: %q is no machine's own", sysctl, text)
	}
	first, err := find(1)
	if err != nil || first.start == 0 {
		return "", errors.Join(errors.New("no start of pid 1"), err)
	}
	return fmt.Sprintf("%s %d", text, (first.start+unit/2)/unit), nil
}
