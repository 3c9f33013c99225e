package netlab

import "time"

// Mount mounts the share by its kind, "nfs4" (NFS 4.2), "nfs3" or "smb" (SMB 3.1.1), with options beside the kernel's
// defaults ("" or "noac,actimeo=0"), and returns where: "/mnt/nfs4" the first time, "/mnt/nfs4-2" the second. It waits for a
// server that is not there yet, up to a minute.
func (h *Host) Mount(kind, options string) string { panic("netlab: not there yet") }

// Unmount takes a mount away.
func (h *Host) Unmount(path string) { panic("netlab: not there yet") }

// An OpStats is what /proc/self/mountstats says of one operation since the mount: how often it was asked for, how often it was
// sent (again, too), and how long it waited for its answers in all.
type OpStats struct {
	Ops, Sent int64
	RTT       time.Duration
}

// MountStats returns the counts of an NFS mount by operation, such as "GETATTR" and "CREATE"; those that never happened
// are left out. SMB has the calls of its session, by the names of /proc/fs/cifs/Stats ("Opens", "Closes", ...), with Ops alone.
func (h *Host) MountStats(path string) map[string]OpStats { panic("netlab: not there yet") }

// RPCs returns the sum of what MountStats counts.
func (h *Host) RPCs(path string) int64 { panic("netlab: not there yet") }
