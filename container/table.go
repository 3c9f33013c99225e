package container

import (
	"slices"
	"strings"
)

// row is a line of mountinfo with what is needed to walk from one mount to the next.
type row struct {
	mount
	id, parent string
	dev        string // "major:minor" of the file system: equal for all mounts of it
	options    string // the mount's own, comma-separated
	slave      bool   // what is mounted outside, in the place that it came from, appears here
}

// parseRow takes one line apart, without its newline. What makes no sense is none.
func parseRow(line string) (row, bool) {
	// 36 35 98:0 /root /point rw,noatime shared:1 master:2 - ext3 /dev/sda1 rw
	//  0  1    2     3      4          5 (any number of optional fields) - type source options
	head, tail, ok := strings.Cut(line, " - ")
	h, t := strings.Fields(head), strings.Fields(tail)
	if !ok || len(h) < 6 || len(t) < 2 {
		return row{}, false
	}
	m := mount{root: octal(h[3]), point: octal(h[4]), fstype: t[0], source: octal(t[1])}
	if len(t) > 2 {
		m.super = octal(t[2])
	}
	m.root = strings.TrimSuffix(m.root, "//deleted") // the bound file was replaced on the host
	slave := slices.ContainsFunc(h[6:], func(s string) bool { return strings.HasPrefix(s, "master:") })
	return row{mount: m, id: h[0], parent: h[1], dev: h[2], options: h[5], slave: slave}, strings.HasPrefix(m.point, "/")
}

// table is what is mounted where, in the order of mountinfo.
type table []row

func parseTable(data []byte) table {
	var t table
	for l := range strings.Lines(string(data)) {
		if !strings.HasSuffix(l, "\n") {
			break // the limit of reading cut it
		}
		if r, ok := parseRow(strings.TrimSuffix(l, "\n")); ok {
			t = append(t, r)
		}
	}
	return t
}

// root is the mount at "/", seen by this process: its parent is outside of what is shown. There is none in a chroot below one.
func (t table) root() (row, bool) {
	ids := map[string]bool{}
	for _, r := range t {
		ids[r.id] = true
	}
	i := slices.IndexFunc(t, func(r row) bool { return r.point == "/" && (!ids[r.parent] || r.parent == r.id) })
	if i < 0 {
		return row{}, false
	}
	return t.top(t[i]), true
}

// top is what lies uppermost of what is stacked at a mount's own root.
func (t table) top(r row) row {
	for range t { // more steps than mounts are nonsense that goes round in circles
		next, ok := t.child(r, r.point)
		if !ok {
			break
		}
		r = next
	}
	return r
}

func (t table) child(parent row, point string) (row, bool) {
	for _, r := range t {
		if r.parent == parent.id && r.id != parent.id && r.point == point {
			return r, true
		}
	}
	return row{}, false
}

// find is the mount that an absolute, clean path without links lies on. It goes from mount to mount as the kernel does: a mount on
// /a hides an older one on /a/b.
func (t table) find(path string) (row, bool) {
	at, ok := t.root()
	if !ok || !strings.HasPrefix(path, "/") {
		return row{}, false
	}
	for end := 1; end <= len(path); end++ {
		if end > 1 && (end == len(path) || path[end] == '/') {
			if next, ok := t.child(at, path[:end]); ok {
				at = t.top(next)
			}
		}
	}
	return at, true
}

// option reports whether a comma-separated list has it.
func option(list, name string) bool {
	return slices.Contains(strings.Split(list, ","), name)
}
