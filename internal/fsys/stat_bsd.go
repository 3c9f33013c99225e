//go:build unix && !linux

package fsys

import (
	"time"

	"golang.org/x/sys/unix"
)

// These systems have no way to ask for a fresh answer: what their NFS clients' caches allow is what is seen.

func statAt(dirfd int, name string) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(dirfd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func statFd(fd int) (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Info{}, err
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) Info {
	return Info{
		Kind: kindOf(uint32(st.Mode)), Mode: goMode(uint32(st.Mode)), Size: st.Size, Mtime: time.Unix(st.Mtim.Unix()),
		Nlink: uint64(st.Nlink), Dev: uint64(st.Dev), Ino: uint64(st.Ino), UID: st.Uid, GID: st.Gid,
	}
}
