package worker

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Calls are system calls by what they concern.
type Calls struct {
	Lock  int // files at or below the lock's directory
	Files int // other files, /proc among them
	Other int // everything else: timers, futexes, pipes, what waits for events
}

// byPath are the calls that name a file by a path, whatever else they are given.
var byPath = strings.Fields(`access chdir chmod chown creat execve faccessat faccessat2 fchmodat fchmodat2 fchownat futimesat
	getxattr inotify_add_watch lchown lgetxattr link linkat listxattr lsetxattr lstat mkdir mkdirat mknod mknodat mount
	name_to_handle_at newfstatat open openat openat2 readlink readlinkat rename renameat renameat2 rmdir setxattr stat statfs
	statx symlink symlinkat truncate umount2 unlink unlinkat utime utimensat utimes`)

var (
	call     = regexp.MustCompile(`^(?:\d+ +)?(\w+)\((.*)`)
	fdOfFile = regexp.MustCompile(`^\d+<(/[^>]*)>`)
	dirOf    = regexp.MustCompile(`^(?:AT_FDCWD|\d+)<(/[^>]*)>, `)
	quoted   = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// Count reads what strace -f -y has written. A call that was interrupted and resumed counts once.
func Count(trace, lock string) (c Calls) {
	for line := range strings.Lines(trace) {
		m := call.FindStringSubmatch(line)
		if m == nil {
			continue // "<... resumed>", signals, exits
		}
		switch file := fileOf(m[1], m[2]); {
		case file == "":
			c.Other++
		case file == lock || strings.HasPrefix(file, lock+"/"):
			c.Lock++
		default:
			c.Files++
		}
	}
	return c
}

// fileOf is the file that a call concerns; empty if none. With -y, a descriptor is shown with the file that it stands for.
func fileOf(name, args string) string {
	if slices.Contains(byPath, name) {
		dir := ""
		if m := dirOf.FindStringSubmatch(args); m != nil {
			dir = m[1]
		}
		given := quoted.FindStringSubmatch(args)
		switch {
		case given == nil && dir == "":
			return "unknown" // an address instead of a name: a call all the same
		case given == nil:
			return dir
		case path.IsAbs(given[1]):
			return path.Clean(given[1])
		default:
			return path.Join(dir, given[1])
		}
	}
	if m := fdOfFile.FindStringSubmatch(args); m != nil && !strings.HasPrefix(m[1], "/dev/") {
		return m[1]
	}
	return ""
}
