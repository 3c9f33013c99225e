package containerlab_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aac6cccc/mkdirlock/container"
	"github.com/aac6cccc/mkdirlock/internal/containerlab"
)

// capturesVariable names the directory that the captures are written to, whose tests then must be told the right answers.
const capturesVariable = "MKDIRLOCK_CAPTURES"

// forms are the engines' containers that are captured, by folder.
var forms = []struct {
	folder string
	kind   containerlab.Kind
	spec   containerlab.Spec
}{
	{"docker/default", containerlab.Docker, containerlab.Spec{}},
	{"docker/vfs", containerlab.Kind{Engine: "docker", Storage: "vfs"}, containerlab.Spec{}},
	{"docker/hostname", containerlab.Docker, containerlab.Spec{Hostname: "worker", Flags: []string{"--init"}}},
	{"docker/cgroupns-private", containerlab.Docker, containerlab.Spec{Flags: []string{"--cgroupns=private"}}},
	{"docker/pidhost", containerlab.Docker, containerlab.Spec{PID: "host"}},
	{"docker/readonly", containerlab.Docker, containerlab.Spec{ReadOnly: true}},
	{"podman/default", containerlab.Podman, containerlab.Spec{}},
	{"podman/vfs-runc", containerlab.Kind{Engine: "podman", Storage: "vfs", OCI: "runc"}, containerlab.Spec{}},
	{"podman/fuse-overlayfs", containerlab.Kind{Engine: "podman", Storage: "fuse-overlayfs"}, containerlab.Spec{}},
	{"podman/pidhost", containerlab.Podman, containerlab.Spec{PID: "host"}},
	{"podman/readonly", containerlab.Podman, containerlab.Spec{ReadOnly: true}},
	{"rootless/default", containerlab.Rootless, containerlab.Spec{}},
	{"rootless/vfs-runc", containerlab.Kind{Engine: "rootless", Storage: "vfs", OCI: "runc"}, containerlab.Spec{}},
	{"rootless/fuse-overlayfs", containerlab.Kind{Engine: "rootless", Storage: "fuse-overlayfs"}, containerlab.Spec{}},
	{"rootless/pidhost", containerlab.Rootless, containerlab.Spec{PID: "host"}},
	{"rootless/keepid", containerlab.Rootless, containerlab.Spec{Flags: []string{"--userns=keep-id"}}},
	{"rootless/readonly", containerlab.Rootless, containerlab.Spec{ReadOnly: true}},
	{"rootless/privileged", containerlab.Rootless, containerlab.Spec{Flags: []string{"--privileged"}}},
}

// What package container says in a container, it says of the container's capture, too: the tables of its tests are about what there is.
func TestCaptures(t *testing.T) {
	labs := map[bool]*containerlab.Lab{false: containerlab.Start(t), true: containerlab.StartWith(t, containerlab.Config{MachinePIDs: true})}
	for _, f := range forms {
		t.Run(f.folder, func(t *testing.T) {
			lab := labs[f.spec.PID == "host"]
			c, out := lab.Engine(f.kind).Run(f.spec, containerlab.Program(), "capture")
			captured(t, lab, f.folder, c, out)
		})
	}
	for _, runtime := range containerlab.Sandboxes {
		t.Run(runtime, func(t *testing.T) {
			words := append(labs[false].Sandbox(runtime, containerlab.Spec{Hostname: "worker"}), containerlab.Program(), "capture")
			captured(t, labs[false], runtime+"/default", nil, labs[false].Must(words...))
		})
	}
}

// captured compares what was found by the process that was captured with what is found in the capture, and keeps it if that is wanted.
func captured(t *testing.T, lab *containerlab.Lab, folder string, c *containerlab.Container, out string) {
	t.Helper()
	files := map[string]string{}
	if err := json.Unmarshal([]byte(out), &files); err != nil {
		t.Fatal(err)
	}
	want := decode(t, files["detected"])
	if c != nil && (want.ID != c.ID || want.Rootless != (c.Engine.Engine == "rootless") || want.Confidence != container.Certain) {
		t.Errorf("of %s of %s was found: %+v", c.ID, c.Kind, want)
	}
	delete(files, "detected")
	fsys, env := fstest.MapFS{}, map[string]string{}
	for name, text := range files {
		switch name {
		case "env":
			for line := range strings.Lines(text) {
				k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
				env[k] = v
			}
		case "ns":
			for line := range strings.Lines(text) {
				f := strings.Fields(line)
				fsys["proc/self/ns/"+f[0]] = &fstest.MapFile{Data: []byte(strings.TrimPrefix(f[1], "self=")), Mode: fs.ModeSymlink | 0o777}
			}
		default:
			fsys[name[1:]] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
		}
	}
	if got := container.Detect(fsys, func(k string) string { return env[k] }); !reflect.DeepEqual(got, want) {
		t.Errorf("of the capture\n%+v\nand in the container\n%+v", got, want)
	}
	if dir := os.Getenv(capturesVariable); dir != "" {
		keep(t, lab, filepath.Join(dir, "lab", folder), folder, c, files)
	}
}

// keep writes a capture as the tests of package container read it. What is another each time, and what is this machine's, is replaced.
func keep(t *testing.T, lab *containerlab.Lab, dir, folder string, c *containerlab.Container, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	alike := fmt.Sprintf("%x", sha256.Sum256([]byte(folder)))
	machine := regexp.MustCompile(`,[a-z_=0-9,]*resuid=\d+,resgid=\d+|,size=\d+k,nr_inodes=\d+`)
	for name, text := range files {
		if c != nil {
			text = strings.NewReplacer(c.ID, alike, c.ID[:12], alike[:12], c.Name, "web").Replace(text)
		}
		text = strings.ReplaceAll(text, lab.Dir, "/srv/lab")
		text = machine.ReplaceAllString(text, "")
		switch name {
		case "/proc/sys/kernel/random/boot_id":
			text = "6f1c1a52-0d3f-4a7e-9b1e-2f6d0c7a9b11\n"
		case "/etc/machine-id":
			text = "0123456789abcdef0123456789abcdef\n"
		case "/proc/1/environ", "env":
			text = telling(strings.ReplaceAll(text, "\x00", "\n"))
		case "/proc/sys/kernel/osrelease":
			text = "6.18.0\n"
		case "/proc/1/status", "/proc/1/cgroup":
			continue // no part of the evidence
		}
		if err := os.WriteFile(filepath.Join(dir, fileOf(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// telling are the variables that tell of containers.
func telling(environ string) (kept string) {
	for line := range strings.Lines(environ) {
		if strings.HasPrefix(line, "container=") || strings.HasPrefix(line, "KUBERNETES_") {
			kept += strings.TrimSuffix(line, "\n") + "\n"
		}
	}
	return kept
}

func fileOf(name string) string {
	switch name {
	case "env", "ns":
	case "/proc/self/uid_map":
		name = "uid_map"
	case "/proc/sys/kernel/hostname":
		name = "hostname"
	case "/proc/sys/kernel/random/boot_id":
		name = "boot_id"
	case "/etc/hostname":
		name = "etc-hostname"
	case "/etc/machine-id":
		name = "machine-id"
	default:
		if rest, ok := strings.CutPrefix(name, "/proc/"); ok {
			name = strings.ReplaceAll(strings.Replace(rest, "1/", "pid1-", 1), "/", "-")
		} else {
			name = "exists_" + strings.ReplaceAll(name[1:], "/", "_")
		}
	}
	return name + ".txt"
}
