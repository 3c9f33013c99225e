package fsys_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// isolated runs the calling test again in a process of its own, since umask, limits, ids and mounts belong to a process. It
// reports whether this is that process; in the other one it has passed on the outcome, and the test is to return.
func isolated(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	const key = "FSYS_ISOLATED"
	if os.Getenv(key) == t.Name() {
		return true
	}
	if (attr.Unshareflags != 0 || attr.Credential != nil) && os.Getuid() != 0 {
		t.Skip("needs root, to make a mount namespace or to change its uid")
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), key+"="+t.Name())
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("in a process of its own: %v\n%s", err, out)
	}
	return false
}

func newMounts() *syscall.SysProcAttr { return &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} }
