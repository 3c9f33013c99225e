package main

import (
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
)

// in becomes a command in the lab: in its cgroups first, by which it ends with the lab, then in its namespaces.
func in(dir string, cmd []string) error {
	list, err := os.ReadFile(wire.Cgroups(dir))
	if err != nil {
		return err
	}
	for own := range strings.Lines(string(list)) {
		if err := enter(strings.TrimSpace(own)); err != nil {
			return err
		}
	}
	first, err := os.ReadFile(wire.First(dir))
	if err != nil {
		return err
	}
	nsenter, err := exec.LookPath("nsenter")
	if err != nil {
		return err
	}
	args := append([]string{"nsenter", "--target", string(first), "--mount", "--net", "--cgroup", "--pid", "--"}, cmd...)
	return unix.Exec(nsenter, args, wire.Environ(os.Environ(), dir))
}
