package containerlab_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// kinds are the engines in all their forms.
var kinds = []containerlab.Kind{
	containerlab.Docker, containerlab.Podman, containerlab.Rootless,
	{Engine: "docker", Storage: "vfs"},
	{Engine: "podman", Storage: "vfs", OCI: "runc"},
	{Engine: "podman", Storage: "fuse-overlayfs"},
	{Engine: "rootless", Storage: "vfs", OCI: "runc"},
	{Engine: "rootless", Storage: "fuse-overlayfs"},
}

// Each runtime starts, has its first process as pid 1, sees the volume, and can be stopped and started again.
func TestEngines(t *testing.T) {
	lab := containerlab.Start(t)
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			begin := time.Now()
			e := lab.Engine(kind)
			t.Logf("there after %v", time.Since(begin).Round(time.Millisecond))
			dir := proctest.Disk(t)
			cfg := proctest.Quick("/vol/lock")
			begin = time.Now()
			c := e.Words(cfg, containerlab.Spec{Hostname: "worker", Volumes: []string{dir + ":/vol"}})
			p := c.Proc(t, cfg)
			t.Logf("a container after %v", time.Since(begin).Round(time.Millisecond))
			if p.Inner != 1 {
				t.Errorf("it is pid %d", p.Inner)
			}
			if name := c.Exec("hostname"); name != "worker" {
				t.Errorf("it is called %q", name)
			}
			p.Want("ACQ", "acquire")
			if names := proctest.Names(filepath.Join(dir, "lock")); !strings.HasPrefix(names, "dirlock-") {
				t.Errorf("on the volume is %q", names)
			}
			if kind.Engine != "rootless" { // which needs a cgroup of its own for that
				c.Pause()
				p.Send("check")
				p.Quiet(200 * time.Millisecond)
				c.Unpause()
				p.Expect("OK", proctest.Patience)
			}
			p.Want("REL", "release")
			c.Kill()
			p.Exited(proctest.Patience)
			if c.Running() {
				t.Error("it was killed, and runs")
			}
			p = c.Proc(t, cfg)
			if p.Inner != 1 || !c.Running() {
				t.Errorf("again: pid %d, running %v", p.Inner, c.Running())
			}
		})
	}
}

func TestSandboxes(t *testing.T) {
	lab := containerlab.Start(t)
	for _, runtime := range containerlab.Sandboxes {
		t.Run(runtime, func(t *testing.T) {
			dir := proctest.Disk(t)
			cfg := proctest.Quick("/vol/lock")
			begin := time.Now()
			p := lab.Words(t, cfg, runtime, containerlab.Spec{Hostname: "worker", Volumes: []string{dir + ":/vol"}, Tmpfs: []string{"/tmp"}})
			t.Logf("after %v, pid %d", time.Since(begin).Round(time.Millisecond), p.Inner)
			if p.Inner > 2 {
				t.Errorf("it is pid %d", p.Inner)
			}
			p.Want("ACQ", "acquire")
			if names := proctest.Names(filepath.Join(dir, "lock")); !strings.HasPrefix(names, "dirlock-") {
				t.Errorf("on the volume is %q", names)
			}
			p.Stop()
			p.Cont()
			p.Want("REL", "release")
			p.Kill()
		})
	}
}
