package container

import "strings"

// mount is one line of /proc/self/mountinfo, as far as it is needed (proc_pid_mountinfo(5)).
type mount struct {
	root   string // the directory within the file system that is mounted: of a bind mount, where it comes from
	point  string // where it is mounted, seen from our root
	fstype string
	source string
	super  string // the file system's options, comma-separated
}

// parseMounts reads mountinfo. Lines that are cut off or make no sense are left out.
func parseMounts(data []byte) []mount {
	var mounts []mount
	for l := range strings.Lines(string(data)) {
		if !strings.HasSuffix(l, "\n") {
			break // the limit of reading cut it
		}
		// 36 35 98:0 /root /point rw,noatime shared:1 master:2 - ext3 /dev/sda1 rw
		//  0  1    2     3      4          5 (any number of optional fields) - type source options
		head, tail, ok := strings.Cut(strings.TrimSuffix(l, "\n"), " - ")
		h, t := strings.Fields(head), strings.Fields(tail)
		if !ok || len(h) < 6 || len(t) < 2 {
			continue
		}
		m := mount{root: octal(h[3]), point: octal(h[4]), fstype: t[0], source: octal(t[1])}
		if len(t) > 2 {
			m.super = octal(t[2])
		}
		if !strings.HasPrefix(m.point, "/") {
			continue
		}
		m.root = strings.TrimSuffix(m.root, "//deleted") // the bound file was replaced on the host
		mounts = append(mounts, m)
	}
	return mounts
}

// octal undoes the kernel's escapes: \040 blank, \011 tab, \012 newline, \134 backslash.
func octal(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && isOctal(s[i+1]) && isOctal(s[i+2]) && isOctal(s[i+3]) {
			b.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

// at returns the mount that is seen at point: the last of those stacked there.
func at(mounts []mount, point string) (mount, bool) {
	for i := len(mounts) - 1; i >= 0; i-- {
		if mounts[i].point == point {
			return mounts[i], true
		}
	}
	return mount{}, false
}

// under returns the mount that path lies on, by names alone.
func under(mounts []mount, path string) (mount, bool) {
	for p := path; ; {
		if m, ok := at(mounts, p); ok {
			return m, true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 || p == "/" {
			return mount{}, false
		}
		if p = p[:i]; p == "" {
			p = "/"
		}
	}
}
