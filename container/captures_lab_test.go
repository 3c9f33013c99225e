package container

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"strings"
)

// The captures below "lab" are from internal/containerlab, where the id of a container is the digest of its folder's name, and every cgroup
// namespace is the lab's.
func init() {
	sum := func(folder string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(folder))) }
	engine := func(r Runtime, folder string, rootless bool, namespaces string, notes ...string) {
		want := Info{Runtime: r, Rootless: rootless, Confidence: Certain, Namespaces: strings.Fields(namespaces), ID: sum(folder)}
		text := string(r) + " " + want.ID[:12]
		if strings.HasSuffix(folder, "/privileged") { // of which Podman tells the name
			want.Name = "web"
			text = fmt.Sprintf("%s %s %s", r, want.Name, want.ID[:12])
		}
		if want.HostPID = strings.HasSuffix(folder, "/pidhost"); want.HostPID {
			notes = append(notes, "host's pids")
		}
		if rootless {
			notes = append([]string{"rootless"}, notes...)
		}
		if len(notes) > 0 {
			text += " (" + strings.Join(notes, ", ") + ")"
		}
		answers["lab/"+folder] = answer{want, text}
	}
	for _, form := range []string{"default", "vfs", "hostname", "cgroupns-private", "readonly"} {
		engine(Docker, "docker/"+form, false, "pid uts ipc cgroup")
	}
	engine(Docker, "docker/pidhost", false, "uts ipc cgroup")
	for _, form := range []string{"default", "vfs-runc", "fuse-overlayfs", "readonly"} {
		engine(Podman, "podman/"+form, false, "pid uts ipc cgroup")
	}
	engine(Podman, "podman/pidhost", false, "uts ipc cgroup")
	for _, form := range []string{"default", "vfs-runc", "fuse-overlayfs", "keepid", "readonly", "privileged"} {
		engine(Podman, "rootless/"+form, true, "pid user uts ipc cgroup")
	}
	engine(Podman, "rootless/pidhost", true, "user uts ipc cgroup")
	maps.Copy(answers, map[string]answer{
		"lab/nspawn/default": {Info{Runtime: Nspawn, Confidence: Certain, Name: "lab3", Namespaces: []string{"pid", "uts", "ipc", "cgroup"}}, "systemd-nspawn lab3"},
		"lab/lxc/default":    {Info{Runtime: LXC, Confidence: Certain, Namespaces: []string{"pid", "uts", "ipc", "cgroup"}}, "lxc"},
		// None has a sign of what it is.
		"lab/bwrap/default":   {Info: Info{Namespaces: []string{"pid", "uts", "ipc", "cgroup"}}},
		"lab/unshare/default": {Info: Info{Namespaces: []string{"pid", "uts", "ipc", "cgroup"}}},
	})
}
