package container

import (
	"slices"
	"strings"
)

// mountSigns reads what hangs in our own mount namespace: the strongest evidence there is.
func mountSigns(f *findings, mounts []mount) {
	for _, point := range []string{"/run/.containerenv", "/var/run/.containerenv", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf"} {
		m, ok := at(mounts, point)
		if !ok {
			continue
		}
		if s, ok := bindSign(m); ok {
			f.add(s)
			f.rootlessMounts = f.rootlessMounts || inHome(m.root)
		}
	}
	kubeSigns(f, mounts)
	// nspawn's way in for later mounts; the name of the machine is the last element on the host's side.
	for _, point := range []string{"/run/host/incoming", "/run/systemd/nspawn/incoming"} {
		m, _ := at(mounts, point)
		if dir, name := cutLast(m.root); strings.HasSuffix(dir, "/systemd/nspawn/propagate") {
			f.add(sign{runtime: Nspawn, proof: true, rank: rankBind, name: name, text: mountText(m)})
		}
	}
	// LXC gives each container a boot id of its own.
	if m, ok := at(mounts, "/proc/sys/kernel/random/boot_id"); ok && strings.HasSuffix(m.root, "/.lxc-boot-id") {
		f.add(sign{runtime: LXC, proof: true, rank: rankBind, text: mountText(m)})
	}
	for _, m := range mounts {
		if m.fstype == "fuse.lxcfs" && strings.HasPrefix(m.point, "/proc/") { // the host has it at /var/lib/lxcfs
			f.add(sign{runtime: LXC, proof: true, rank: rankLxcfs, text: "lxcfs over " + printable(m.point)})
			break
		}
	}
	if m, ok := at(mounts, "/"); ok {
		if s, ok := rootSign(m); ok {
			f.add(s)
			f.rootlessMounts = f.rootlessMounts || inHome(storage(m))
		}
	}
}

// bindSign recognises the small files that runtimes bind over /etc and /run, by where they come from:
//
//	Docker              .../containers/<id>/hostname
//	nerdctl             .../nerdctl/<hash>/containers/<namespace>/<id>/hostname
//	Podman, CRI-O       .../<driver>-containers/<id>/userdata/hostname
//	containerd's CRI    .../io.containerd.grpc.v1.cri/sandboxes/<sandbox's id>/hostname
//
// The data directory before that can be anywhere, and is missing where it is a file system of its own.
func bindSign(m mount) (sign, bool) {
	s := sign{proof: true, rank: rankBind, text: mountText(m)}
	e := strings.Split(m.root, "/")
	back := func(n int) string { // the nth element from the end
		if n > len(e) {
			return ""
		}
		return e[len(e)-n]
	}
	if _, base := cutLast(m.point); back(1) != base {
		return s, false
	}
	switch {
	case isID(back(2)) && back(3) == "containers":
		s.runtime, s.id = Docker, back(2)
	case isID(back(2)) && (back(4) == "containers" || back(4) == "etchosts"):
		s.runtime, s.id = Containerd, back(2)
	case isID(back(3)) && back(2) == "userdata" && strings.HasSuffix(back(4), "-containers"):
		s.runtime = Podman
		// In a pod the files in /etc are those of the sandbox; this one is always the container's own.
		// Of a container whose root is read-only it is not mounted, though.
		if s.near = back(3); back(1) == ".containerenv" {
			s.id = back(3)
		}
	case isID(back(2)) && back(3) == "sandboxes" && strings.HasPrefix(back(4), "io.containerd."):
		s.runtime = Containerd // the id is the sandbox's, not the container's
	case back(2) == "executor" && back(3) == "buildkit":
		s.runtime = Other
	default:
		return s, false
	}
	return s, true
}

// kubeSigns recognises what the kubelet mounts into every container of a pod.
func kubeSigns(f *findings, mounts []mount) {
	add := func(name string, m mount) {
		f.kubeMounts = true
		f.add(sign{kube: true, proof: true, rank: rankBind, name: name, text: mountText(m)})
	}
	if m, ok := at(mounts, "/dev/termination-log"); ok { // .../pods/<uid>/containers/<name>/<hash>
		if e := strings.Split(m.root, "/"); len(e) >= 5 && e[len(e)-5] == "pods" && e[len(e)-3] == "containers" {
			add(e[len(e)-2], m)
		}
	}
	if m, ok := at(mounts, "/etc/hosts"); ok { // .../pods/<uid>/etc-hosts
		if e := strings.Split(m.root, "/"); len(e) >= 3 && e[len(e)-3] == "pods" && e[len(e)-1] == "etc-hosts" {
			add("", m)
		}
	}
	for _, point := range []string{"/run" + serviceAccount, "/var/run" + serviceAccount} {
		if m, ok := at(mounts, point); ok {
			add("", m)
		}
	}
}

const serviceAccount = "/secrets/kubernetes.io/serviceaccount"

// rootSign recognises a root file system out of a runtime's layer store. A root that is merely an overlay is no sign: live
// systems, routers and many small virtual machines have one.
func rootSign(m mount) (sign, bool) {
	s := sign{proof: true, rank: rankRoot, text: "root file system: " + printable(cut(m.fstype+" "+storage(m), 160))}
	e := strings.Split(storage(m), "/")
	after := func(names ...string) string { // the element after these
		for i := range e {
			if len(e) > i+len(names) && slices.Equal(e[i:i+len(names)], names) {
				return e[i+len(names)]
			}
		}
		return ""
	}
	layer := after("vfs", "dir") + after("btrfs", "subvolumes") + after("overlay")
	switch {
	case after("overlay2") != "" || after("docker", "vfs") != "" || after("docker", "btrfs") != "" || after("docker", "overlay") != "":
		s.runtime = Docker
	case after("containers", "storage") != "":
		s.runtime = Podman
	case slices.ContainsFunc(e, func(x string) bool { return strings.HasPrefix(x, "io.containerd.snapshotter.") }):
		s.runtime = Containerd
	case len(e) >= 3 && e[len(e)-1] == "rootfs" && (e[len(e)-3] == "lxc" || e[len(e)-3] == "containers"):
		s.runtime, s.name = LXC, e[len(e)-2]
	case isID(layer), m.fstype == "fuse.fuse-overlayfs":
		s.runtime = Other // Docker and Podman name the directories of these drivers alike
	default:
		return s, false
	}
	return s, true
}

// storage is where the root's files are on the host: an overlay's topmost directory, otherwise what was bound.
func storage(m mount) string {
	if m.fstype != "overlay" {
		return m.root
	}
	var lower string
	for o := range strings.SplitSeq(m.super, ",") {
		if dir, ok := strings.CutPrefix(o, "upperdir="); ok {
			return dir
		}
		if dir, ok := strings.CutPrefix(o, "lowerdir="); ok {
			lower, _, _ = strings.Cut(dir, ":")
		}
	}
	return lower
}

// inHome knows the directories of a runtime that an ordinary user started.
func inHome(path string) bool {
	return strings.Contains(path, "/.local/share/") || strings.HasPrefix(path, "/run/user/")
}

func mountText(m mount) string { return printable(m.point + " is mounted from " + cut(m.root, 160)) }

func cutLast(path string) (dir, base string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}
