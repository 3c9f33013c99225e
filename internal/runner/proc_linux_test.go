package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

const deathSignal = true

// gone reports whether the group has no member but zombies, which pid 1 of a small machine may leave for long.
func gone(group int) bool {
	if errors.Is(unix.Kill(-group, 0), unix.ESRCH) {
		return true
	}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		stat, _ := os.ReadFile(f)
		if _, pgrp := parseStat(stat); pgrp == group && !strings.Contains(string(stat), ") Z ") {
			return false
		}
	}
	return true
}

// ended reports whether the process is no more than a zombie.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}
