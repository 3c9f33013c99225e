package fsys

import "golang.org/x/sys/unix"

// delegates reports whether a server may leave a file to the client that opens it.
func delegates(t Traits) bool { return t.Type == "nfs" }

// openUndelegated is openat for a file whose times everybody shall see as they are.
//
// An NFS 4.2 server may delegate a file that is opened for writing to the client, its times included. A touch then is this client's own
// affair: no call is sent, others see the time of the creation, and once this client is gone, who looks at the file waits for it as long as
// the server's leases last. (Measured between Linux 7.2 kernels: living holders were taken over; TestDelegations in internal/nettest.) A
// client that opens with O_DIRECT asks for no delegation, and on NFS that needs no alignment. What follows is buffered as ever.
func openUndelegated(dirfd int, name string, flags int, mode uint32, undelegated bool) (int, error) {
	if !undelegated {
		return unix.Openat(dirfd, name, flags, mode)
	}
	fd, err := unix.Openat(dirfd, name, flags|unix.O_DIRECT, mode)
	if err != nil {
		return fd, err
	}
	if now, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, now&^unix.O_DIRECT) // else the write is direct: no harm
	}
	return fd, nil
}
