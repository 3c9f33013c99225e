package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// machine is what a reader must know of where and on what the figures were measured.
func machine(suite, test string) map[string]string {
	info := map[string]string{
		"suite": suite,
		"test":  test,
		"date":  time.Now().UTC().Format(time.RFC3339),
		"cores": strconv.Itoa(runtime.NumCPU()),
		"cpu":   cpuModel(),
		"go":    runtime.Version(),
		"tree":  "unknown",
	}
	var u unix.Utsname
	if err := unix.Uname(&u); err == nil {
		info["kernel"] = unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
	}
	// A tree without its history, or one that belongs to somebody else, is none the worse for it.
	if out, err := exec.Command("git", "-c", "safe.directory=*", "describe", "--always", "--dirty").Output(); err == nil {
		info["tree"] = strings.TrimSpace(string(out))
	}
	return info
}

func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
