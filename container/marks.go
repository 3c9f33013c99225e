package container

import (
	"io/fs"
	"strings"
)

// markSigns reads the files and variables that runtimes leave for programs to find. They can be left over, so they are no proofs,
// save where what they lie on rules that out.
func markSigns(f *findings, fsys fs.FS, env func(string) string, mounts []mount) {
	if regular(fsys, ".dockerenv") {
		f.add(sign{runtime: Docker, rank: rankDocker, text: "/.dockerenv exists"})
	}
	if data, ok := read(fsys, "run/.containerenv", maxFile); ok {
		f.env = parseContainerenv(data)
		r, text := Podman, "/run/.containerenv exists"
		if e := managerName(f.env.engine); e != "" && e != Other {
			r, text = e, text+" (engine "+string(e)+")"
		}
		f.add(sign{runtime: r, rank: rankPodman, id: f.env.id, name: f.env.name, text: text})
	}
	// systemd.io/CONTAINER_INTERFACE: a manager may put its name there; systemd as pid 1 copies $container to /run/systemd/container,
	// which in an unprivileged process is all there is. On a tmpfs of its own it cannot have come with the image.
	for _, file := range []string{"run/host/container-manager", "run/systemd/container"} {
		if v, ok := line(fsys, file); ok && v != "" {
			m, _ := under(mounts, "/"+file)
			f.add(managerSign(v, "/"+file+" says ", rankManager, m.fstype == "tmpfs" && m.point != "/"))
		}
	}
	if data, ok := read(fsys, "proc/1/environ", maxFile); ok {
		for v := range strings.SplitSeq(string(data), "\x00") {
			if v, ok := strings.CutPrefix(v, "container="); ok && v != "" {
				s := managerSign(v, "pid 1's environment has container=", rankManager, true)
				if s.runtime == Docker || s.runtime == Podman || s.runtime == Other {
					// Image makers set it, too (container=oci, container=docker), and a shell passes it on to `unshare -p`.
					s.proof, s.rank = false, rankEnv
				}
				f.add(s)
			}
		}
	}
	if v := env("container"); v != "" {
		f.add(managerSign(v, "our environment has container=", rankEnv, false))
	}
	if env("KUBERNETES_SERVICE_HOST") != "" {
		f.add(sign{kube: true, rank: rankEnv, text: "our environment has KUBERNETES_SERVICE_HOST"})
	}
	if v, ok := line(fsys, "proc/sys/kernel/hostname"); ok && isHex(v, 12) {
		// Docker's and Podman's default; it names neither.
		f.add(sign{runtime: Other, rank: rankHostname, id: v, text: "the host name " + v + " looks like a container's id"})
	}
	if v, ok := line(fsys, "proc/sys/kernel/osrelease"); ok && (strings.Contains(strings.ToLower(v), "microsoft") || strings.Contains(v, "WSL")) {
		f.add(sign{runtime: WSL, proof: true, rank: rankKernel, name: env("WSL_DISTRO_NAME"), text: "kernel release " + printable(cut(v, 80))})
	}
}

func managerSign(value, text string, r rank, proof bool) sign {
	return sign{runtime: managerName(value), proof: proof, rank: r, text: text + printable(cut(value, 64))}
}

// managerName translates what managers call themselves in systemd's container interface and in .containerenv ("podman-4.3.1").
func managerName(v string) Runtime {
	name, version, ok := strings.Cut(v, "-")
	if ok && version != "" && '0' <= version[0] && version[0] <= '9' {
		v = name
	}
	switch v {
	case "":
		return ""
	case "lxc-libvirt":
		return LXC
	case "oci":
		return Other
	case "crio":
		return CRIO
	}
	if len(v) > 32 || v[0] < 'a' || v[0] > 'z' || clean(v) != v || strings.ContainsAny(v, "/:@+") {
		return Other // container=1, or rubbish
	}
	return Runtime(v)
}

// containerenv is the content of /run/.containerenv, which Podman fills only for privileged containers.
type containerenv struct {
	engine, name, id string
	rootless         string // "1", "0" or "" when it does not say
}

// parseContainerenv reads lines of the form name="value".
func parseContainerenv(data []byte) containerenv {
	var c containerenv
	for l := range strings.Lines(string(data)) {
		k, v, _ := strings.Cut(strings.TrimSpace(l), "=")
		v = strings.Trim(v, `"`)
		switch k {
		case "engine":
			c.engine = v
		case "name":
			c.name = v
		case "id":
			if isID(v) {
				c.id = v
			}
		case "rootless":
			c.rootless = v
		}
	}
	return c
}

// printable takes whatever could steer a terminal out of a text; what is escaped stays recognisable.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f {
			return '?'
		}
		return r
	}, s)
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n] + "..."
	}
	return s
}
