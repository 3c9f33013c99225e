package container

import "strings"

// place is what one path of /proc/self/cgroup says.
type place struct {
	runtime  Runtime // "" when it is only under Kubernetes' slice
	id, name string
	kube     bool
	path     string
}

// prefixes of a container's own cgroup, before its id: systemd's scopes ("docker-<id>.scope", "crio-<id>.scope") and the
// same names without systemd. The monitors ("libpod-conmon-<id>", "crio-conmon-<id>") are processes of the host: what follows
// the prefix there is no id.
var prefixes = []struct {
	prefix  string
	runtime Runtime
}{
	{"docker-", Docker},
	{"libpod-payload-", Podman}, // --cgroups=split
	{"libpod-", Podman},
	{"crio-", CRIO},
	{"cri-containerd-", Containerd},
	{"nerdctl-", Containerd},
}

// parseCgroup reads /proc/self/cgroup, v1 ("4:memory:/docker/<id>") and v2 ("0::/..."), and returns the places that say something.
func parseCgroup(data []byte) []place {
	var found []place
	for l := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSuffix(l, "\n"), ":", 3) // the path may have colons
		if len(fields) < 3 || !strings.HasPrefix(fields[2], "/") {
			continue
		}
		if p, ok := parsePlace(fields[2]); ok {
			found = append(found, p)
		}
	}
	return found
}

// parsePlace reads one path from its end: the innermost container is ours.
func parsePlace(path string) (place, bool) {
	elems := strings.Split(path, "/")
	p := place{path: path}
	for _, e := range elems {
		p.kube = p.kube || isKubepods(e)
	}
	for i := len(elems) - 1; i >= 0; i-- {
		r, id, name := parseElem(elems, i)
		if r != "" {
			p.runtime, p.id, p.name = r, id, name
			break
		}
	}
	return p, p.runtime != "" || p.kube
}

// parseElem asks whether element i makes a container of what is below it.
func parseElem(elems []string, i int) (r Runtime, id, name string) {
	e, next, prev := elems[i], "", ""
	if i+1 < len(elems) {
		next = elems[i+1]
	}
	if i > 0 {
		prev = elems[i-1]
	}
	// runc given "slice:prefix:id" without systemd makes one directory of that name.
	if parts := strings.Split(e, ":"); len(parts) == 3 {
		e = parts[1] + "-" + parts[2]
	}
	e = strings.TrimSuffix(e, ".scope")
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(e, p.prefix); ok && isID(rest) {
			return p.runtime, rest, ""
		}
	}
	switch {
	case isID(e) && prev == "docker":
		return Docker, e, ""
	case isID(e):
		return Other, e, "" // kubepods/.../<id>, containerd's default/<id>
	case e == "buildkit" && prev == "docker" && next != "":
		return Docker, "", ""
	}
	if rest, ok := strings.CutPrefix(e, "lxc.payload."); ok && rest != "" {
		return LXC, "", rest
	}
	if (e == "lxc" || e == "lxc.payload") && next != "" {
		return LXC, "", next
	}
	return parseMachine(e, next)
}

// parseMachine reads the units of systemd-machined. nspawn's own process sits in "supervisor", virtual machines' in "libvirt":
// both are the host's.
func parseMachine(e, next string) (r Runtime, id, name string) {
	if rest, ok := strings.CutPrefix(e, `machine-lxc\x2d`); ok && next != "" {
		return LXC, "", unescape(rest)
	}
	if next == "" || next == "supervisor" || next == "libvirt" {
		return "", "", ""
	}
	if rest, ok := strings.CutPrefix(e, "systemd-nspawn@"); ok {
		return Nspawn, "", unescape(strings.TrimSuffix(rest, ".service"))
	}
	if rest, ok := strings.CutPrefix(e, "machine-"); ok && rest != "" && !strings.HasPrefix(rest, `qemu\x2d`) && !strings.HasSuffix(rest, ".slice") {
		return Nspawn, "", unescape(rest)
	}
	return "", "", ""
}

// isKubepods knows the kubelet's parent cgroup in both forms, also with a prefix (kind's "kubelet-kubepods.slice").
func isKubepods(e string) bool {
	return e == "kubepods" ||
		strings.Contains(e, "kubepods") && (strings.HasSuffix(e, ".slice") || strings.Contains(e, ".slice:"))
}

// unescape undoes systemd's escaping of unit names as far as names need it.
func unescape(s string) string { return strings.ReplaceAll(s, `\x2d`, "-") }

// cgroupSigns turns the places into evidence.
func cgroupSigns(data []byte) []sign {
	var signs []sign
	places := parseCgroup(data)
	for _, p := range places[:min(len(places), 32)] { // v1 has some fourteen hierarchies
		signs = append(signs, sign{
			runtime: p.runtime, kube: p.kube, proof: true, rank: rankCgroup,
			id: p.id, name: p.name, text: "cgroup " + printable(cut(p.path, 240)),
		})
	}
	return signs
}
