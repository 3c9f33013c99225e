package container

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// view is what a process can see of where it is. With it the question is one of plain values.
type view struct {
	info  Info
	table table
	born  func(row) (time.Time, bool) // when a tmpfs was made
	start func() (time.Time, bool)    // when pid 1 started, if it is the container's own
}

// sandboxed reports whether bubblewrap made the root. It leaves no other sign; the name is in its source.
func sandboxed(t table) bool {
	root, ok := t.root()
	return ok && root.fstype == "tmpfs" && root.root == "/newroot"
}

// locate says where an absolute path lies, on whose way there are no links.
func (v view) locate(path string) Place {
	if !contained(v.info) && !sandboxed(v.table) {
		return Place{Machine, "no container was recognised"}
	}
	root, ok := v.table.root()
	at, found := v.table.find(path)
	switch {
	case !ok || !found:
		return Place{Unknown, "what is mounted there cannot be told"}
	case partOf(at, root):
		return v.onRoot(at, root)
	case at.fstype == "tmpfs":
		return v.onTmpfs(at)
	case at.fstype == "overlay":
		return onOverlay(at)
	case slices.Contains(kernels, at.fstype):
		return Place{Unknown, describe("%s is %s, no place for a lock", at.point, at.fstype)}
	}
	return fromOutside(at)
}

// contained reports whether a root file system of its own is to be expected: a distribution under WSL is a machine.
func contained(i Info) bool { return i.Detected() && i.Runtime != WSL }

// partOf reports whether a mount shows a part of what another one shows: of the root, say, which was bound inside the container.
func partOf(at, whole row) bool {
	return at.dev == whole.dev && (at.root == whole.root || strings.HasPrefix(at.root, strings.TrimSuffix(whole.root, "/")+"/"))
}

// onRoot is for what lies in the container's root file system.
func (v view) onRoot(at, root row) Place {
	own, made := v.layer(root)
	switch {
	case option(at.options, "ro") || option(at.super, "ro"):
		return Place{ReadOnlyRoot, describe("%s is read-only", at.point)}
	case made:
		return Place{OwnLayer, describe("/ is this container's own: %s", own)}
	case root.fstype == "tmpfs" && (root.root == "/" || sandboxed(v.table)):
		return v.onTmpfs(root)
	}
	return Place{Unknown, describe("/ is the directory %s of the machine (%s), not a layer that a runtime made for this container alone", root.root, root.fstype)}
}

// layer recognises a root that a runtime makes for one container, and says what it is.
func (v view) layer(root row) (text string, ok bool) {
	_, stored := rootSign(root.mount)
	switch {
	case root.fstype == "overlay":
		return "an overlay whose upper directory is " + storage(root.mount), strings.Contains(root.super, "upperdir=")
	case root.fstype == "fuse.fuse-overlayfs", root.fstype == "aufs":
		return root.fstype, true
	case root.fstype == "zfs", thin(root):
		return root.fstype + " on " + root.source, true
	case stored: // vfs, btrfs, containerd's native snapshots
		return root.root + " of the machine (" + root.fstype + ")", true
	case v.info.Runtime == LXC, v.info.Runtime == Nspawn:
		return "the root of a container of " + string(v.info.Runtime) + " (" + root.fstype + ")", true
	}
	return "", false
}

// thin knows the volumes that Docker's and containerd's drivers for the device mapper make.
func thin(root row) bool {
	name, ok := strings.CutPrefix(root.source, "/dev/mapper/")
	return ok && (strings.HasPrefix(name, "docker-") || strings.Contains(name, "-snap-"))
}

// onOverlay is for an overlay that is not the root: a directory of another one, or what Podman makes of -v DIR:/x:O.
func onOverlay(at row) Place {
	switch {
	case strings.Contains(at.super, "/userdata/overlay/"):
		return Place{OwnLayer, describe("%s is an overlay that was made for this container: %s", at.point, storage(at.mount))}
	case at.root != "/":
		return fromOutside(at)
	}
	return Place{Unknown, describe("%s is an overlay, and whether others see it cannot be told", at.point)}
}

// fromOutside is for what was bound, or mounted, into the container.
func fromOutside(at row) Place {
	e := strings.Split(at.root, "/")
	if i := slices.Index(e, "kubernetes.io~empty-dir"); i >= 0 && i+1 < len(e) {
		return Place{Shared, describe("%s is the emptyDir %q, which the containers of this pod see, and other pods do not", at.point, e[i+1])}
	}
	if i := slices.Index(e, "_data"); i >= 1 && isID(e[i-1]) {
		return Place{OwnVolume, describe("%s is an anonymous volume (%s), made for this container", at.point, short(e[i-1]))}
	} else if i >= 2 {
		return Place{Shared, describe("%s is the volume %q", at.point, e[i-1])}
	}
	return Place{Shared, describe("%s is mounted from %s of %s (%s)", at.point, at.root, at.source, at.fstype)}
}

// kernels are file systems of the kernel's, in which nobody makes a directory.
var kernels = []string{"proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "nsfs", "securityfs", "debugfs", "tracefs", "bpf",
	"configfs", "pstore", "hugetlbfs", "binfmt_misc", "fusectl", "efivarfs", "autofs"}

// describe makes evidence that is fit for printing: paths come from outside.
func describe(format string, args ...any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = cut(s, 160)
		}
	}
	return printable(fmt.Sprintf(format, args...))
}
