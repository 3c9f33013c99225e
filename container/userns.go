package container

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// idmap is one line of /proc/self/uid_map (user_namespaces(7)).
type idmap struct{ inside, outside, count uint64 }

func parseIDMap(data []byte) []idmap {
	var maps []idmap
	for l := range strings.Lines(string(data)) {
		f := strings.Fields(l)
		if len(f) != 3 {
			continue
		}
		var n [3]uint64
		var err error
		for i := range f {
			if n[i], err = strconv.ParseUint(f[i], 10, 64); err != nil {
				break
			}
		}
		if err == nil {
			maps = append(maps, idmap{n[0], n[1], n[2]})
		}
	}
	return maps
}

// rootless decides whether the runtime was started by an ordinary user.
func rootless(r Runtime, f *findings) bool {
	if r == Podman && f.env.rootless != "" {
		return f.env.rootless == "1"
	}
	if f.rootlessMounts {
		return true
	}
	switch r {
	case Docker, Podman, Containerd, Other:
	default:
		return false // LXC's and nspawn's maps often pass single ids through
	}
	// A user who starts a container maps himself, one id, beside the range he was given. Root remaps ranges (userns-remap).
	for _, m := range f.ids {
		if m.count == 1 {
			return true
		}
	}
	return false
}

// initial are the inode numbers of the initial namespaces, the same on every Linux kernel (include/linux/proc_ns.h). Those of the
// mount and network namespaces are not fixed on older kernels.
var initial = []struct {
	kind  string
	inode uint32
}{
	{"pid", 0xEFFFFFFC}, {"user", 0xEFFFFFFD}, {"uts", 0xEFFFFFFE}, {"ipc", 0xEFFFFFFF}, {"cgroup", 0xEFFFFFFB}, {"time", 0xEFFFFFFA},
}

// namespaces returns the kinds in which we are not in the initial namespace, and whether we are known to be in the initial pid one.
func namespaces(fsys fs.FS) (own []string, initialPID bool) {
	for _, ns := range initial {
		link, err := fs.ReadLink(fsys, "proc/self/ns/"+ns.kind)
		if err != nil || !strings.HasPrefix(link, ns.kind+":[") {
			continue
		}
		if link != fmt.Sprintf("%s:[%d]", ns.kind, ns.inode) {
			own = append(own, ns.kind)
		} else if ns.kind == "pid" {
			initialPID = true
		}
	}
	return own, initialPID
}
