package container

import "io/fs"

// Detect reads the evidence from fsys, which is rooted at the machine's / (names such as "proc/self/mountinfo"), and from env, which
// answers as [os.Getenv] for the process that is asked about; a nil env is an empty environment.
//
// It never fails: what is missing, unreadable, malformed or not a regular file is no evidence. It reads at most 768 KiB, opens
// regular files only, and follows no link in the last element of a name. With [os.DirFS] a file that is replaced by a FIFO between
// the look and the open can still block; [Self] cannot.
func Detect(fsys fs.FS, env func(string) string) Info {
	if fsys == nil {
		return Info{}
	}
	if env == nil {
		env = func(string) string { return "" }
	}
	var f findings
	var mounts []mount
	if data, ok := read(fsys, "proc/self/mountinfo", maxMounts); ok {
		mounts = parseMounts(data)
	}
	mountSigns(&f, mounts)
	if data, ok := read(fsys, "proc/self/cgroup", maxFile); ok {
		f.add(cgroupSigns(data)...)
	}
	markSigns(&f, fsys, env, mounts)
	if data, ok := read(fsys, "proc/self/uid_map", maxFile); ok {
		f.ids = parseIDMap(data)
	}
	info := decide(&f)
	own, initialPID := namespaces(fsys)
	info.Namespaces = own
	info.HostPID = initialPID && info.Detected() && info.Runtime != WSL
	return info
}
