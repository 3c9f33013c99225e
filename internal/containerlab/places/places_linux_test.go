package places

import (
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// Each engine and each of its drivers: the root, volumes of all kinds, memory of the container's own and of the machine's.
func TestEngines(t *testing.T) {
	lab := containerlab.Start(t)
	cmd := command(t)
	lab.Must("sh", "-c", "mkdir -m 777 /run/memory; mount -t tmpfs -o mode=777 memory /run/memory; mkdir -m 777 /run/memory/below")
	for _, kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			e := lab.Engine(kind)
			podman := kind.Engine != "docker"
			for _, tt := range []struct {
				name string
				spec containerlab.Spec
				want map[string]string
			}{
				{"usual", containerlab.Spec{
					Volumes: []string{proctest.Disk(t) + ":/bind", "named:/named", "/anonymous", "/run/memory:/memory", "/run/memory/below:/below"},
					Tmpfs:   []string{"/own"},
				}, map[string]string{
					"/": "own-layer", "/tmp": "own-layer", "/var/tmp": "own-layer", "/bind": "shared", "/named": "shared", "/anonymous": "own-volume",
					"/memory": "shared", "/below": "shared", "/own": "own-tmpfs", "/dev": "own-tmpfs", "/dev/shm": "own-tmpfs",
				}},
				{"read-only root", containerlab.Spec{ReadOnly: true, Tmpfs: []string{"/tmp"}, Volumes: []string{"named:/named"}},
					map[string]string{"/": "read-only-root", "/tmp": "own-tmpfs", "/named": "shared", "/var": "read-only-root"}},
				{"the host's IPC", containerlab.Spec{Flags: []string{"--ipc=host"}}, map[string]string{"/": "own-layer", "/dev/shm": "shared"}},
				{"the host's pids", containerlab.Spec{PID: "host", Tmpfs: []string{"/own"}, Volumes: []string{"/run/memory:/memory"}},
					map[string]string{"/": "own-layer", "/own": "own-tmpfs", "/memory": "shared"}},
				{"the host's network and name", containerlab.Spec{Network: "host", UTS: "host", Volumes: []string{"named:/named"}},
					map[string]string{"/": "own-layer", "/named": "shared"}},
				{"another user", containerlab.Spec{User: "1000:1000", Tmpfs: []string{"/own"}, Volumes: []string{proctest.Disk(t) + ":/bind"}},
					map[string]string{"/tmp": "own-layer", "/bind": "shared", "/own": "own-tmpfs"}},
			} {
				if kind.Engine == "rootless" && slices.Contains(tt.spec.Flags, "--ipc=host") {
					continue // it wants a /dev/mqueue of the machine's, which is not mounted everywhere
				}
				t.Run(tt.name, func(t *testing.T) {
					for dir, want := range tt.want {
						if podman && want == "own-tmpfs" && dir != "/dev" {
							tt.want[dir] = "own-tmpfs|unknown" // in no order: now and then it is too long before /dev
						}
					}
					if _, ok := tt.want["/dev/shm"]; ok && podman && tt.name == "usual" {
						tt.want["/dev/shm"] = "unknown" // made outside
					}
					tt.spec.Volumes = append(tt.spec.Volumes, cmd+":/cmd:ro")
					_, out := e.Run(tt.spec, "sh", "-c", ask(tt.want))
					compare(t, out, tt.want)
				})
			}
		})
	}
}

// What is warned of and refused in a container, by its command.
func TestWarningAndRefusal(t *testing.T) {
	lab := containerlab.Start(t)
	cmd := command(t)
	for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Podman, containerlab.Rootless} {
		t.Run(kind.String(), func(t *testing.T) {
			spec := containerlab.Spec{Volumes: []string{cmd + ":/cmd:ro", "named:/named", "/anonymous"}, Tmpfs: []string{"/own"}}
			run := func(path string, flags string) string {
				_, out := lab.Engine(kind).Run(spec, "sh", "-c", "/cmd/dirlock run "+flags+" "+path+" -- echo ran 2>&1; echo code=$?")
				return out
			}
			for _, path := range []string{"/lock", "/own/lock", "/anonymous/lock"} {
				if out := run(path, ""); !strings.HasPrefix(out, "dirlock: warning: "+path+" is seen by this container only: ") || !strings.HasSuffix(out, "\nran\ncode=0") {
					t.Error(out)
				}
				if out := run(path, "--require-shared"); !strings.HasPrefix(out, "dirlock: "+path+" is not shared: ") || !strings.HasSuffix(out, "\ncode=74") || strings.Contains(out, "ran") {
					t.Error(out)
				}
			}
			for _, flags := range []string{"", "--require-shared"} {
				if out := run("/named/lock", flags); out != "ran\ncode=0" {
					t.Error(out)
				}
			}
		})
	}
}

// A tmpfs that is a volume is made by the engine just before the container, and is shared by all that use it; one that a
// container has alone is made just after.
func TestMemoryVolumes(t *testing.T) {
	lab := containerlab.Start(t)
	cmd := command(t)
	for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Podman, {Engine: "podman", Storage: "vfs", OCI: "runc"}} {
		t.Run(kind.String(), func(t *testing.T) {
			e := lab.Engine(kind)
			e.Must("volume", "create", "--opt", "type=tmpfs", "--opt", "device=tmpfs", "memory")
			for range 10 {
				want := map[string]string{"/volume": "shared|unknown", "/own": "own-tmpfs|unknown"} // and never the one for the other
				_, out := e.Run(containerlab.Spec{Volumes: []string{"memory:/volume", cmd + ":/cmd:ro"}, Tmpfs: []string{"/own"}}, "sh", "-c", ask(want))
				compare(t, out, want)
			}
		})
	}
}

// Podman can do without layers, or make them of what is not one.
func TestPodmanRoots(t *testing.T) {
	lab := containerlab.Start(t)
	cmd := command(t)
	e := lab.Engine(containerlab.Podman)
	dir := proctest.Disk(t)
	want := map[string]string{"/": "own-layer", "/over": "own-layer", "/dev/shm": "unknown"}
	_, out := e.Run(containerlab.Spec{Volumes: []string{cmd + ":/cmd:ro", dir + ":/over:O"}}, "sh", "-c", ask(want))
	compare(t, out, want)
}

// Runtimes without an engine. Who only has a root bound is taken for a machine: nothing is refused that was right.
func TestSandboxes(t *testing.T) {
	lab := containerlab.Start(t)
	cmd := command(t)
	for _, runtime := range containerlab.Sandboxes {
		t.Run(runtime, func(t *testing.T) {
			want := map[string]string{"/": "", "/vol": "", "/own": ""}
			if runtime == "nspawn" || runtime == "lxc" {
				want = map[string]string{"/": "own-layer", "/vol": "shared", "/own": "own-tmpfs"}
			}
			t.Setenv(proctest.Variable, "{}") // which some of them pass on, and want to be there
			spec := containerlab.Spec{Volumes: []string{proctest.Disk(t) + ":/vol", cmd + ":/cmd"}, Tmpfs: []string{"/own"}}
			out := lab.Must(append(lab.Sandbox(runtime, spec), "/bin/sh", "-c", ask(want))...)
			compare(t, out, want)
		})
	}
}
