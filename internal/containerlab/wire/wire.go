// Package wire is what a lab of containers and its agent know of each other.
package wire

import (
	"slices"
	"strings"
)

// A Config is what a lab is made by.
type Config struct {
	MachinePIDs bool // the machine's pids instead of its own
	CgroupV2    bool // cgroups of version 2 alone are mounted
}

// Ready is the first word of whoever has made something.
const Ready = "READY"

// Agent is the agent's program in a lab's directory.
func Agent(dir string) string { return dir + "/agent" }

// Cgroups is a file in a lab's directory with a cgroup in each line.
func Cgroups(dir string) string { return dir + "/cgroups" }

// First is a file in a lab's directory with the pid of its first process.
func First(dir string) string { return dir + "/first" }

// Environ is the environment of a command in the lab of that directory: one of a machine where Debian's programs come first, and
// temporary files are the lab's.
func Environ(env []string, dir string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"PATH", "TMPDIR", "HOME", "DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "CONTAINER_HOST", "XDG_RUNTIME_DIR", "container"}, name)
	})
	return append(env, "PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR="+dir+"/tmp", "HOME="+dir+"/home")
}
