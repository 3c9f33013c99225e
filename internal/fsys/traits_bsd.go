//go:build unix && !linux

package fsys

import "golang.org/x/sys/unix"

// volume is what these systems' statfs or statvfs says of a mount.
type volume struct {
	kind     string
	point    string
	local    bool // MNT_LOCAL: the file system's own word
	readOnly bool
	nameMax  int
}

// types says what the file systems promise that are known here; a stranger promises nothing.
//
// Local are those of this kernel's own, if the mount says so, too; not FUSE, and not nullfs or unionfs, which may lie on
// NFS. NFS's and SMB's clock source was measured on Linux only, so it is unknown here and age has to be observed, as
// it has to be where time stamps are of whole seconds.
var types = map[string]Traits{
	"apfs":   {Local: true, Beats: ClockFS},
	"zfs":    {Local: true, Beats: ClockFS},
	"ufs":    {Local: true, Beats: ClockFS},
	"ffs":    {Local: true, Beats: ClockFS},
	"mfs":    {Local: true, Beats: ClockFS},
	"lfs":    {Local: true, Beats: ClockFS},
	"tmpfs":  {Local: true, Beats: ClockFS},
	"hfs":    {Local: true},
	"ext2fs": {Local: true},
	"msdos":  {Local: true},
	"exfat":  {Local: true},

	"smbfs": {DeletePending: true},
}

func traitsOf(path string) (Traits, error) {
	v, err := volumeOf(path)
	if err != nil {
		return Traits{}, err
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return Traits{}, err
	}
	return traits(v, uint64(st.Dev)), nil
}

func traitsOfFd(fd int) (Traits, error) {
	v, err := volumeOfFd(fd)
	if err != nil {
		return Traits{}, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Traits{}, err
	}
	return traits(v, uint64(st.Dev)), nil
}

func traits(v volume, dev uint64) Traits {
	t := types[v.kind]
	if !v.local && t.Local {
		t = Traits{}
	}
	t.Type, t.NameMax, t.ReadOnly, t.Dev = v.kind, v.nameMax, v.readOnly, dev
	return t
}

func cString(b []byte) string { return unix.ByteSliceToString(b) }
