package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inSandbox runs the command in bubblewrap's sandbox, whose root is a tmpfs of its own; dir is bound to /shared in it.
func inSandbox(t *testing.T, dir string, args ...string) result {
	t.Helper()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		if os.Getuid() == 0 {
			t.Fatalf("this test needs bubblewrap: %v", err)
		}
		t.Skip("no bubblewrap here")
	}
	cmd := dirlockCommand(t)
	cmd.Path, cmd.Args = bwrap, []string{bwrap, "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
		"--symlink", "usr/lib64", "/lib64", "--ro-bind", binary, "/dirlock", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
		"--bind", dir, "/shared", "--bind", "/dev/shm", "/machine", "--unshare-pid", "--die-with-parent", "--chdir", "/", "/dirlock"}
	cmd.Args = append(cmd.Args, args...)
	return finish(t, cmd)
}

// What only the sandbox sees is warned of, and refused when that is asked for; what others can see is neither.
func TestPrivatePlace(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path, visibility string
		private          bool
	}{
		{"/lock", "own-tmpfs", true},
		{"/tmp/lock", "own-tmpfs", true},
		{"/dev/lock", "own-tmpfs", true},
		{"/shared/lock", "shared", false},
		{fmt.Sprintf("/machine/mkdirlock-%d", os.Getpid()), "shared", false},
	} {
		t.Run(c.path, func(t *testing.T) {
			warning := "dirlock: warning: " + c.path + " is seen by this container only: "
			r := inSandbox(t, dir, "run", c.path, "--", "sh", "-c", "exit 7")
			r.want(t, 7)
			if c.private != strings.HasPrefix(r.stderr, warning) || strings.Count(r.stderr, "\n") > 1 || !c.private && r.stderr != "" {
				t.Errorf("stderr: %q", r.stderr)
			}
			r = inSandbox(t, dir, "run", "--require-shared", c.path, "--", "sh", "-c", "echo ran; exit 7")
			if c.private {
				r.want(t, codeFault, "dirlock: "+c.path+" is not shared: ", "named volume")
				if r.out != "" || strings.Count(r.stderr, "\n") != 1 {
					t.Errorf("%q, %q", r.out, r.stderr)
				}
			} else if r.want(t, 7); r.stderr != "" {
				t.Errorf("stderr: %q", r.stderr)
			}
			r = inSandbox(t, dir, "status", c.path)
			r.want(t, 0)
			if !strings.Contains(r.out, c.visibility+": ") || c.private != strings.Contains(r.out, "\nwarning ") {
				t.Error(r.out)
			}
			var o object
			r = inSandbox(t, dir, "status", "--json", c.path)
			if err := json.Unmarshal([]byte(r.out), &o); err != nil || o.Place == nil || o.Place.Visibility != c.visibility || o.Place.Evidence == "" {
				t.Errorf("%v: %s", err, r.out)
			}
		})
	}
}

// On a machine the same command refuses nothing, says nothing, and status has nothing to add.
func TestRequireSharedOnAMachine(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "jobs.lock")
	r := runDirlock(t, "run", "--require-shared", lock, "--", "sh", "-c", "exit 7")
	if r.want(t, 7); r.stderr != "" {
		t.Errorf("stderr: %q", r.stderr)
	}
	if r := runDirlock(t, "status", lock); strings.Contains(r.out, "place") {
		t.Error(r.out)
	}
}
