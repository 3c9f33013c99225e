//go:build unix && !linux

package runner

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

const deathSignal = false

// gone reports whether the group has no member.
func gone(group int) bool { return errors.Is(unix.Kill(-group, 0), unix.ESRCH) }

// ended reports whether the process is no more than a zombie.
func ended(pid int) bool {
	stat, err := exec.Command("ps", "-o", "stat=", "-p", fmt.Sprint(pid)).Output()
	return err != nil || strings.HasPrefix(string(stat), "Z")
}
