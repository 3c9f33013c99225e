package fsys

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// MountTable answers which mount a path is on, from a text in the format of Linux's /proc/self/mountinfo. The zero value
// knows no mounts.
type MountTable struct {
	on map[mountKey]mount
}

// mountKey is a mount point as the kernel's path walk meets it: a place in the mount that it is walking through. That, and
// not the longest prefix, decides: a mount on /a hides an older one on /a/b.
type mountKey struct {
	parent int // a mount's id; noParent for those whose parent is not in the table
	point  string
}

type mount struct {
	id   int
	dev  string
	kind string // "ext4"
}

const noParent = -1

// ParseMountTable reads the text. Lines that are not in the format are passed over.
func ParseMountTable(text []byte) MountTable {
	type row struct {
		mount
		parent int
		point  string
	}
	var rows []row
	ids := make(map[int]bool)
	for line := range bytes.Lines(text) {
		// id, parent, major:minor, root, mount point, ...
		f := bytes.Fields(line)
		if len(f) < 5 {
			continue
		}
		id, err := strconv.Atoi(string(f[0]))
		parent, err2 := strconv.Atoi(string(f[1]))
		point := unescape(f[4])
		if err != nil || err2 != nil || id < 0 || parent < 0 || !strings.HasPrefix(point, "/") {
			continue
		}
		m := mount{id: id, dev: string(f[2])}
		if i := slices.IndexFunc(f, func(s []byte) bool { return string(s) == "-" }); i > 0 && i+1 < len(f) {
			m.kind = string(f[i+1]) // behind a number of fields that varies
		}
		rows = append(rows, row{m, parent, point})
		ids[id] = true
	}
	t := MountTable{on: make(map[mountKey]mount, len(rows))}
	for _, r := range rows {
		// The root's parent is not shown, or is the root itself; in a chroot only what lies below is.
		if r.parent == r.id || !ids[r.parent] {
			r.parent = noParent
		}
		t.on[mountKey{r.parent, r.point}] = r.mount
	}
	return t
}

// Find returns an identifier of the mount that the absolute path is on, or "" if the table does not say. Two mounts of one
// file system have the same one, as they hang together.
func (t MountTable) Find(path string) string {
	at, _ := t.walk(path)
	return at.dev
}

// Near reports whether no mount on the way to the absolute path, if no link leads elsewhere, can hang for want of a server or another
// process, and whether the last one lies in this kernel's memory.
func (t MountTable) Near(path string) (memory, ok bool) {
	at, near := t.walk(path)
	return near && (at.kind == "tmpfs" || at.kind == "ramfs"), near
}

// near are the file systems that answer without asking any other machine or process. Overlays are not: their layers may lie anywhere.
var near = map[string]bool{"tmpfs": true, "ramfs": true, "rootfs": true, "devtmpfs": true, "squashfs": true,
	"erofs": true, "ext2": true, "ext3": true, "ext4": true, "xfs": true, "btrfs": true, "f2fs": true, "zfs": true, "bcachefs": true}

// walk goes from mount to mount as the kernel does, and reports whether all of them are near.
func (t MountTable) walk(path string) (at mount, allNear bool) {
	at, allNear = mount{id: noParent}, true
	if !strings.HasPrefix(path, "/") {
		return at, false
	}
	for end := 1; ; end++ {
		if end == 1 || end == len(path) || path[end] == '/' {
			// One mount may lie on another at the same place. Each step goes to a new id, unless the text is nonsense.
			for range len(t.on) {
				next, ok := t.on[mountKey{at.id, path[:end]}]
				if !ok {
					break
				}
				at, allNear = next, allNear && near[next.kind]
			}
		}
		if end == len(path) {
			return at, allNear
		}
	}
}

// unescape undoes the kernel's octal escapes of blanks, tabs, newlines and backslashes (and '#').
func unescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(string(s[i+1:i+4]), 8, 8); err == nil {
				out = append(out, byte(n))
				i += 3
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}
