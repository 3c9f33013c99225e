package containerlab_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/containerlab"
)

func decode(t *testing.T, text string) container.Info {
	t.Helper()
	var info container.Info
	if err := json.Unmarshal([]byte(text), &info); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return info
}

// What package container says in containers of each engine, in each form: the runtime, the id, rootless or not, whose pids, and by what
// evidence.
func TestDetectionInEngines(t *testing.T) {
	for _, cfg := range []containerlab.Config{{}, {MachinePIDs: true}, {CgroupV2: true}} {
		t.Run(cfgName(cfg), func(t *testing.T) {
			lab := containerlab.StartWith(t, cfg)
			// By what the layers are stored, TestCaptures tries.
			for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Podman, containerlab.Rootless} {
				for name, spec := range map[string]containerlab.Spec{
					"plain":              {},
					"host name":          {Hostname: "worker"},
					"host's network":     {Network: "host"},
					"host's name":        {UTS: "host"},
					"host's pids":        {PID: "host"},
					"read-only":          {ReadOnly: true},
					"misleading":         {Env: []string{"container=lxc", "KUBERNETES_SERVICE_HOST="}},
					"unprivileged user":  {User: "1000:1000"},
					"own cgroups hidden": {Flags: []string{"--cgroupns=private"}},
					"all privileges":     {Flags: []string{"--privileged"}},
				} {
					if cfg != (containerlab.Config{}) && name != "plain" && name != "host's pids" && name != "read-only" {
						continue // nothing else has to do with pids and cgroups
					}
					t.Run(kind.String()+"/"+name, func(t *testing.T) {
						if cfg.CgroupV2 && kind != containerlab.Docker && name == "host's pids" {
							t.Log("no such container: it has no cgroup of its own here, and then podman wants it to have its own pids")
							return
						}
						e := lab.Engine(kind)
						if name == "all privileges" && kind.Engine != "rootless" {
							t.Log("not everywhere: it wants all capabilities that the kernel knows, and this process may not have them")
							return
						}
						c, out := e.Run(spec, containerlab.Program(), "detect")
						got := decode(t, out)
						t.Logf("%q because of %q", got, got.Evidence)
						want := container.Podman
						if kind.Engine == "docker" {
							want = container.Docker
						}
						if got.Runtime != want || got.ID != c.ID || got.Confidence != container.Certain {
							t.Errorf("%s %s %s, not %s %s", got.Runtime, got.ID, got.Confidence, want, c.ID)
						}
						if got.Rootless != (kind.Engine == "rootless") {
							t.Errorf("rootless: %v", got.Rootless)
						}
						if hostPID := spec.PID == "host" && cfg.MachinePIDs; got.HostPID != hostPID {
							t.Errorf("the host's pids: %v", got.HostPID)
						}
						if len(got.Evidence) == 0 || !slices.ContainsFunc(got.Evidence, func(s string) bool { return strings.Contains(s, c.ID) }) {
							t.Errorf("no evidence has the id: %q", got.Evidence)
						}
						if own := slices.Contains(got.Namespaces, "pid"); own == got.HostPID {
							t.Errorf("namespaces: %v", got.Namespaces)
						}
					})
				}
			}
		})
	}
}

func cfgName(cfg containerlab.Config) string {
	switch {
	case cfg.MachinePIDs:
		return "the machine's pids"
	case cfg.CgroupV2:
		return "cgroups of version 2"
	}
	return "lab"
}

// Of runtimes without an engine: systemd-nspawn and LXC are recognised, by name; bubblewrap and unshare leave no sign, and nothing is made up.
func TestDetectionInSandboxes(t *testing.T) {
	lab := containerlab.Start(t)
	for runtime, want := range map[string]container.Runtime{"nspawn": container.Nspawn, "lxc": container.LXC, "bwrap": "", "unshare": ""} {
		t.Run(runtime, func(t *testing.T) {
			words := append(lab.Sandbox(runtime, containerlab.Spec{Hostname: "worker"}), containerlab.Program(), "detect")
			got := decode(t, lab.Must(words...))
			t.Logf("%q because of %q, namespaces %v", got, got.Evidence, got.Namespaces)
			if got.Runtime != want || got.Rootless || got.HostPID || got.ID != "" {
				t.Errorf("%+v", got)
			}
			if (got.Confidence == container.Certain) != (want != "") || (len(got.Evidence) > 0) != (want != "") {
				t.Errorf("%s because of %q", got.Confidence, got.Evidence)
			}
			if name, ok := strings.CutPrefix(got.Name, "lab"); want == container.Nspawn && (!ok || name == "") {
				t.Errorf("it is called %q", got.Name)
			}
			if !slices.Contains(got.Namespaces, "pid") {
				t.Errorf("namespaces %v", got.Namespaces)
			}
		})
	}
}

// The lab's own namespaces are no container, nor is the machine.
func TestDetectionOutside(t *testing.T) {
	lab := containerlab.Start(t)
	agent := lab.Dir + "/agent"
	if got := decode(t, lab.Must(agent, "detect")); got.Detected() {
		t.Errorf("in the lab: %+v", got)
	}
	out, err := exec.Command(agent, "detect").Output()
	if got := decode(t, string(out)); err != nil || got.Detected() {
		t.Errorf("on the machine: %v, %+v", err, got)
	}
}
