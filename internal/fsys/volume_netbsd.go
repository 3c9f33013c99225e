package fsys

import "golang.org/x/sys/unix"

func volumeOf(path string) (volume, error) {
	var st unix.Statvfs_t
	err := unix.Statvfs(path, &st)
	return asVolume(&st), err
}

func volumeOfFd(fd int) (volume, error) {
	var st unix.Statvfs_t
	err := unix.Fstatvfs(fd, &st)
	return asVolume(&st), err
}

func asVolume(st *unix.Statvfs_t) volume {
	return volume{
		kind: cString(st.Fstypename[:]), point: cString(st.Mntonname[:]),
		local: st.Flag&unix.MNT_LOCAL != 0, readOnly: st.Flag&unix.MNT_RDONLY != 0, nameMax: int(st.Namemax),
	}
}

func mountPoints() []string { return points(unix.Getvfsstat, asVolume) }
