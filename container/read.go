package container

import (
	"io"
	"io/fs"
	"strings"
)

// How much is read of each file. A container's mountinfo is a few KiB; a busy host's may be megabytes, and what matters of it
// (the root, /etc, /run) stands near its beginning.
const (
	maxMounts = 256 << 10
	maxFile   = 64 << 10
)

// read returns at most limit bytes of a regular file, and nothing of anything else: a FIFO or a device would block or worse.
// It asks before opening and again after it, since the file may have been replaced in between.
func read(fsys fs.FS, name string, limit int64) ([]byte, bool) {
	if !regular(fsys, name) {
		return nil, false
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, false // EACCES on /proc/1/environ is the usual case
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, err == nil || len(data) > 0
}

// regular reports whether name is there and is a regular file, without opening it or following a link in its last element.
func regular(fsys fs.FS, name string) bool {
	st, err := fs.Lstat(fsys, name)
	return err == nil && st.Mode().IsRegular()
}

// line returns the first line of a small file, without blanks around it.
func line(fsys fs.FS, name string) (string, bool) {
	data, ok := read(fsys, name, maxFile)
	s, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(s), ok
}

// clean makes a name from outside fit for a terminal.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (isAlnum(byte(r)) || strings.ContainsRune("._@:/+-", r)) {
			return r
		}
		return -1
	}, s[:min(len(s), 256)])
	return s[:min(len(s), 64)]
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isHex reports whether s is n lower-case hex digits: 64 are a container's id, 12 its short form.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func isID(s string) bool { return isHex(s, 64) }
