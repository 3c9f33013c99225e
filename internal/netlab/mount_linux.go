package netlab

import (
	"context"
	"fmt"
	"time"
)

// Mount mounts the share by its kind, "nfs4" (NFS 4.2), "nfs3" or "smb" (SMB 3.1.1), with options beside the kernel's
// defaults ("" or "noac,actimeo=0"), and returns where: "/mnt/nfs4" the first time, "/mnt/nfs4-2" the second. It waits for a
// server that is not there yet, up to five minutes: a try that the server ends in the midst of takes SMB more than one.
func (h *Host) Mount(kind, options string) string {
	h.lab.tb.Helper()
	h.mu.Lock()
	h.mounts[kind]++
	path := "/mnt/" + kind
	if n := h.mounts[kind]; n > 1 {
		path += fmt.Sprint("-", n)
	}
	h.mu.Unlock()
	var words []string
	var err error
	if h.room == nil {
		words, err = h.mountWords(kind, options)
	}
	if err == nil {
		_, err = h.try("mkdir", "-p", path)
	}
	if err != nil {
		h.lab.tb.Fatal(err)
	}
	if h.room != nil {
		h.serve(kind, options, path)
		return path
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		// Not mount's helper of this type: what the kernel itself does by default is wanted.
		_, err := h.try(append(append([]string{"mount", "-i"}, words...), path)...)
		if err == nil {
			return path
		}
		if time.Now().After(end) {
			h.lab.tb.Fatal(err)
		}
	}
}

func (h *Host) mountWords(kind, options string) ([]string, error) {
	srv := h.lab.Server.IP
	if options != "" {
		options = "," + options
	}
	switch kind {
	case "nfs4":
		return []string{"-t", "nfs4", "-o", "vers=4.2,addr=" + srv + ",clientaddr=" + h.IP + options, srv + ":/"}, nil
	case "nfs3":
		return []string{"-t", "nfs", "-o", "vers=3,proto=tcp,mountproto=tcp,addr=" + srv + ",mountaddr=" + srv + options, srv + ":" + h.lab.Share}, nil
	case "smb":
		return []string{"-t", "cifs", "-o", "vers=3.1.1,ip=" + srv + ",username=root,password=pw" + options, "//" + srv + "/share"}, nil
	}
	return nil, fmt.Errorf("netlab: nothing is mounted as %q", kind)
}

// Unmount takes a mount away.
func (h *Host) Unmount(path string) {
	h.lab.tb.Helper()
	h.Must("umount", path)
}

// MountStats returns the counts of an NFS mount by operation, such as "GETATTR" and "CREATE"; those that never happened are left
// out. SMB has the calls of all its mounts together, by the names of /proc/fs/cifs/Stats ("Opens", "Closes"), with Ops
// alone.
func (h *Host) MountStats(path string) (map[string]OpStats, error) {
	text, err := h.stats(path)
	if err != nil {
		return nil, err
	}
	return parseStats(text, path)
}

func (h *Host) stats(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := h.Run(ctx, nil, "sh", "-c", "cat /proc/self/mountstats; cat /proc/fs/cifs/Stats 2>/dev/null; true")
	return r.Stdout, err
}
