package containerlab

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
)

// Environment is the variable that has tests in the lab run, when it is "1". They skip otherwise.
const Environment = "MKDIRLOCK_CONTAINERS"

// A Config says how a lab differs from what [Start] gives.
type Config = wire.Config

// needs has the programs of a lab, and the Debian package of each.
var needs = [][2]string{
	{"dockerd", "docker.io"},
	{"docker", "docker.io"},
	{"podman", "podman"},
	{"crun", "crun"},
	{"runc", "runc"},
	{"conmon", "conmon"},
	{"newuidmap", "uidmap"},
	{"slirp4netns", "slirp4netns"},
	{"fuse-overlayfs", "fuse-overlayfs"},
	{"bwrap", "bubblewrap"},
	{"systemd-nspawn", "systemd-container"},
	{"lxc-execute", "lxc"},
	{"busybox", "busybox-static"},
	{"unshare", "util-linux"},
	{"nsenter", "util-linux"},
	{"setpriv", "util-linux"},
	{"go", "golang"},
}

// MayBeAbsent is the whole list of what tests may go without where it cannot be started, each with the reason. Of all else that is a failure.
var MayBeAbsent = map[string]string{
	"criu": "Debian's criu does not know the vDSO of kernels as new as 6.18, so that nothing can be checkpointed: time namespaces are made by unshare",
}

// Absent says aloud that something could not be started, and fails the test unless that may be; err says how it failed.
func Absent(tb testing.TB, what string, err error) {
	tb.Helper()
	why, ok := MayBeAbsent[what]
	if !ok {
		tb.Fatalf("containerlab: %s cannot be started: %v", what, err)
	}
	tb.Logf("NOT TESTED: %s: %s (%v)", what, why, err)
}

// Need skips the test unless the environment asks for the lab, and fails it where the machine lacks something.
func Need(tb testing.TB) {
	tb.Helper()
	if os.Getenv(Environment) != "1" {
		tb.Skipf("only with %s=1 in the environment", Environment)
	}
	if os.Getuid() != 0 {
		tb.Fatal("containerlab: only root can make a lab's namespaces")
	}
	var missing []string
	for _, p := range needs {
		if _, err := lookPath(p[0]); err != nil && !slices.Contains(missing, p[1]) {
			missing = append(missing, p[1])
		}
	}
	if len(missing) > 0 {
		tb.Fatalf("containerlab: first: apt-get install --no-install-recommends %s", strings.Join(missing, " "))
	}
}

// lookPath also finds what is for administrators.
func lookPath(program string) (string, error) {
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(program)
}
