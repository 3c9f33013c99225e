package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A hierarchy is one tree of cgroups, as this process sees it.
type hierarchy struct {
	Kind    string // "cgroup" or "cgroup2"
	Options string // by which it is mounted: its controllers, or its name
	Point   string // where it is mounted
	Home    string // the directory of this process's own cgroup
	Own     string // the directory of the lab's
}

// hierarchies finds all that are mounted. Each gets a cgroup of that name below this process's own: whatever limits this process
// limits the lab.
func hierarchies(name string) ([]hierarchy, error) {
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	var all []hierarchy
	for line := range strings.Lines(string(membership)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		h := hierarchy{Kind: "cgroup", Options: fields[1]}
		if fields[0] == "0" {
			h.Kind = "cgroup2"
		}
		if !h.find(string(mounts)) {
			continue // nothing can be made in it, and so nothing is
		}
		h.Home = filepath.Join(h.Point, fields[2])
		h.Own = filepath.Join(h.Home, name)
		all = append(all, h)
	}
	return all, nil
}

func (h *hierarchy) find(mounts string) bool {
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line)
		if len(f) < 4 || f[2] != h.Kind {
			continue
		}
		options := strings.Split(f[3], ",")
		for o := range strings.SplitSeq(h.Options, ",") {
			if h.Kind == "cgroup2" || slices.Contains(options, o) {
				h.Point = f[1]
				return true
			}
		}
	}
	return false
}

func (h hierarchy) make() error {
	if err := os.Mkdir(h.Own, 0o755); err != nil {
		return err
	}
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} { // which a new one does not have by itself
		what, err := os.ReadFile(filepath.Join(h.Home, file))
		if h.Options != "cpuset" || err != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(h.Own, file), what, 0); err != nil {
			return err
		}
	}
	return nil
}

// enter moves this process.
func enter(dir string) error {
	return os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte("0"), 0)
}

// empty kills whatever is in a cgroup or below it, until nothing is, and removes them all.
func (h hierarchy) empty(bound time.Duration) error {
	for end := time.Now().Add(bound); ; time.Sleep(10 * time.Millisecond) {
		err := h.sweep()
		if _, gone := os.Lstat(h.Own); errors.Is(gone, fs.ErrNotExist) {
			return nil // whatever else vanished meanwhile
		}
		if time.Now().After(end) {
			return fmt.Errorf("left behind: %w", err)
		}
	}
}

func (h hierarchy) sweep() error {
	var dirs []string
	err := filepath.WalkDir(h.Own, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	for _, dir := range slices.Backward(dirs) {
		// One that is frozen does not die.
		os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("THAWED"), 0)
		os.WriteFile(filepath.Join(dir, "cgroup.freeze"), []byte("0"), 0)
		text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		for pid := range strings.FieldsSeq(string(text)) {
			var n int
			if _, scanErr := fmt.Sscan(pid, &n); scanErr == nil && n > 0 && n != os.Getpid() {
				unix.Kill(n, unix.SIGKILL)
			}
		}
		err = errors.Join(err, os.Remove(dir))
	}
	return err
}
