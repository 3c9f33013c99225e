package fsys

import (
	"strconv"

	"golang.org/x/sys/unix"
)

func traitsOf(path string) (Traits, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return Traits{}, err
	}
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return Traits{}, err
	}
	return traits(&st, s.Dev), nil
}

func traitsOfFd(fd int) (Traits, error) {
	if t, ok := remote.of(fd); ok {
		return t, nil
	}
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return Traits{}, err
	}
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return Traits{}, err
	}
	t := traits(&st, s.Dev)
	if !t.Local {
		remote.keep(fd, t)
	}
	return t, nil
}

func traits(st *unix.Statfs_t, dev uint64) Traits {
	magic := uint32(st.Type) // the kernel's numbers are of 32 bits; some of its types extend the sign
	t, ok := types[magic]
	if !ok {
		t.Type = "0x" + strconv.FormatUint(uint64(magic), 16)
	}
	t.Dev, t.NameMax, t.ReadOnly = dev, int(st.Namelen), st.Flags&unix.ST_RDONLY != 0
	return t
}

// types says what the file systems promise that are known here, by their f_type. One that is missing is a stranger: not
// local, no clock.
//
// Local are those whose every change goes through this kernel, so that its notices (inotify) tell of all of them and its
// clock stamps all files. Overlayfs is among them since its upper layer, where all changes go, has to be a local one that can
// hold its extended attributes. Not local are network file systems; cluster file systems, though on a disk; FUSE (also sshfs,
// ntfs-3g and virtiofs) and 9p, behind which anything may be; and stacked ones such as eCryptfs, which may lie on NFS.
//
// Their touch carries the file system's clock, unless time stamps are so coarse (10 ms to 2 s) that a file would look older
// than it is: there age has to be observed. (ext2 and ext3 with inodes of 128 bytes keep whole seconds, too, and cannot be told
// from ext4.) For NFS and SMB the source was measured; for other network file systems it was not.
var types = map[uint32]Traits{
	unix.EXT4_SUPER_MAGIC:      guarded("ext4"), // and ext2, ext3
	unix.XFS_SUPER_MAGIC:       guarded("xfs"),
	unix.BTRFS_SUPER_MAGIC:     guarded("btrfs"),
	unix.TMPFS_MAGIC:           guarded("tmpfs"),
	unix.RAMFS_MAGIC:           local("ramfs"),
	unix.OVERLAYFS_SUPER_MAGIC: local("overlayfs"),
	unix.F2FS_SUPER_MAGIC:      guarded("f2fs"),
	unix.BCACHEFS_SUPER_MAGIC:  local("bcachefs"),
	unix.NILFS_SUPER_MAGIC:     local("nilfs2"),
	unix.UDF_SUPER_MAGIC:       local("udf"),
	0x2fc12fc1:                 local("zfs"),
	0x3153464a:                 local("jfs"),
	0x24051905:                 local("ubifs"),
	0x7366746e:                 local("ntfs3"),

	unix.MSDOS_SUPER_MAGIC:    coarse("vfat"),
	unix.EXFAT_SUPER_MAGIC:    coarse("exfat"),
	unix.REISERFS_SUPER_MAGIC: coarse("reiserfs"),
	unix.JFFS2_SUPER_MAGIC:    coarse("jffs2"),
	0x482b:                    coarse("hfsplus"),

	unix.NFS_SUPER_MAGIC:  {Type: "nfs", Beats: ClockFS, KeepsNames: true}, // v3 and v4 alike
	unix.SMB_SUPER_MAGIC:  {Type: "smb", Beats: ClockClient, DeletePending: true},
	unix.CIFS_SUPER_MAGIC: {Type: "cifs", Beats: ClockClient, DeletePending: true},
	unix.SMB2_SUPER_MAGIC: {Type: "smb2", Beats: ClockClient, DeletePending: true},

	unix.FUSE_SUPER_MAGIC:     {Type: "fuse"},
	unix.V9FS_MAGIC:           {Type: "9p"},
	unix.CEPH_SUPER_MAGIC:     {Type: "ceph"},
	unix.OCFS2_SUPER_MAGIC:    {Type: "ocfs2"},
	0x01161970:                {Type: "gfs2"},
	0x0bd00bd0:                {Type: "lustre"},
	0x47504653:                {Type: "gpfs"},
	0x19830326:                {Type: "beegfs"},
	unix.AFS_SUPER_MAGIC:      {Type: "afs"},
	unix.AFS_FS_MAGIC:         {Type: "afs"},
	unix.CODA_SUPER_MAGIC:     {Type: "coda"},
	unix.ECRYPTFS_SUPER_MAGIC: {Type: "ecryptfs"},
	unix.HOSTFS_SUPER_MAGIC:   {Type: "hostfs"},
	0x786f4256:                {Type: "vboxsf"},
	0xbacbacbc:                {Type: "vmhgfs"},
	unix.SQUASHFS_MAGIC:       {Type: "squashfs"},
	unix.ISOFS_SUPER_MAGIC:    {Type: "iso9660"},
	unix.PROC_SUPER_MAGIC:     {Type: "proc"},
	unix.SYSFS_MAGIC:          {Type: "sysfs"},
}

// guarded are file systems of one kernel on which everybody reaches a file by one inode, which is what locks are on. Not so overlayfs:
// who goes by the directory of its upper layer finds another inode than who goes by the mount. The others are left out because nobody
// has tried.
func guarded(name string) Traits {
	t := local(name)
	t.Guards = true
	return t
}

func local(name string) Traits  { return Traits{Type: name, Local: true, Beats: ClockFS} }
func coarse(name string) Traits { return Traits{Type: name, Local: true} }
