package fsys

import "golang.org/x/sys/unix"

func asVolume(st *unix.Statfs_t) volume {
	return volume{
		kind: cString(st.F_fstypename[:]), point: cString(st.F_mntonname[:]),
		local: st.F_flags&unix.MNT_LOCAL != 0, readOnly: st.F_flags&unix.MNT_RDONLY != 0, nameMax: int(st.F_namemax),
	}
}
