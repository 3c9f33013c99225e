package fsys

import "golang.org/x/sys/unix"

func asVolume(st *unix.Statfs_t) volume {
	return volume{
		kind: cString(st.Fstypename[:]), point: cString(st.Mntonname[:]),
		local: st.Flags&unix.MNT_LOCAL != 0, readOnly: st.Flags&unix.MNT_RDONLY != 0, nameMax: int(st.Namemax),
	}
}
