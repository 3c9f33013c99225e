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
	for _, r := range parseTable(data) {
		mounts = append(mounts, r.mount)
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
