package fsys

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// The least that Info needs. On a network the answer is one message whatever is asked for.
const statxMask = unix.STATX_TYPE | unix.STATX_MODE | unix.STATX_NLINK | unix.STATX_UID | unix.STATX_GID |
	unix.STATX_MTIME | unix.STATX_INO | unix.STATX_SIZE

// noStatx is set where the kernel (before 4.11) or a sandbox knows no statx.
var noStatx atomic.Bool

// statAt asks the server, not the client's cache: a plain stat on NFS shows a removed file, and hides a new one, for up to a
// minute.
func statAt(dirfd int, name string) (Info, error) {
	return statx(dirfd, name, unix.AT_SYMLINK_NOFOLLOW)
}

func statFd(fd int) (Info, error) {
	return statx(fd, "", unix.AT_EMPTY_PATH)
}

func statx(dirfd int, name string, flags int) (Info, error) {
	if !noStatx.Load() {
		var st unix.Statx_t
		err := unix.Statx(dirfd, name, flags|unix.AT_STATX_FORCE_SYNC|unix.AT_NO_AUTOMOUNT, statxMask, &st)
		if err == nil {
			return Info{
				Kind: kindOf(uint32(st.Mode)), Mode: goMode(uint32(st.Mode)), Size: int64(st.Size),
				Mtime: time.Unix(st.Mtime.Sec, int64(st.Mtime.Nsec)), Nlink: uint64(st.Nlink),
				Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino, UID: st.Uid, GID: st.Gid,
			}, nil
		}
		if err != unix.ENOSYS {
			return Info{}, err
		}
		noStatx.Store(true)
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dirfd, name, &st, flags); err != nil {
		return Info{}, err
	}
	return Info{
		Kind: kindOf(st.Mode), Mode: goMode(st.Mode), Size: st.Size, Mtime: time.Unix(st.Mtim.Unix()), Nlink: uint64(st.Nlink),
		Dev: st.Dev, Ino: st.Ino, UID: st.Uid, GID: st.Gid,
	}, nil
}
