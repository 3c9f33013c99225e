package fsys

import (
	"io/fs"
	"time"
)

// Entry is one name in a directory.
type Entry struct {
	Name string
	Kind Kind // KindUnknown where the listing does not say; Stat does
}

// Kind is the type of a file. The zero value is KindUnknown.
type Kind uint8

// The kinds of files. KindOther is a device, a FIFO, a socket or the like.
const (
	KindUnknown Kind = iota
	KindRegular
	KindDir
	KindSymlink
	KindOther
)

// String returns the kind in a word, for people.
func (k Kind) String() string {
	switch k {
	case KindRegular:
		return "regular file"
	case KindDir:
		return "directory"
	case KindSymlink:
		return "symbolic link"
	case KindOther:
		return "special file"
	default:
		return "unknown"
	}
}

// Info is what the system says of a file.
type Info struct {
	Kind     Kind
	Mode     fs.FileMode // permission bits, ModeSetuid, ModeSetgid and ModeSticky; no type bits
	Size     int64       // bytes
	Mtime    time.Time
	Nlink    uint64 // 0: removed, and only still known because somebody has it open
	Dev, Ino uint64 // for people and for telling mounts apart; an inode number is handed out again at once
	UID, GID uint32
}

// ClockSource says whose clock Touch puts on a file. The zero value is ClockUnknown.
type ClockSource uint8

// The clock sources.
const (
	ClockUnknown ClockSource = iota
	ClockFS                  // one clock for all who use the mount: the kernel's on local file systems, the server's on NFS
	ClockClient              // each client's own: SMB, and Windows
)

// String returns the source in a word, for people.
func (c ClockSource) String() string {
	switch c {
	case ClockFS:
		return "file system"
	case ClockClient:
		return "client"
	default:
		return "unknown"
	}
}

// Traits says what can be expected of a mount. The zero value promises nothing and is the safe assumption.
type Traits struct {
	Type          string      // "ext4", "tmpfs", "nfs", "smb2", "fuse", "0x1234" for an unknown number, "" where not known
	Local         bool        // this kernel makes every change on it, and so sees every change
	Guards        bool        // what [Dir.Guard] says of a file is seen by all who can reach the file, and they all live under this kernel
	Beats         ClockSource // whose clock Touch carries
	DeletePending bool        // EACCES, EBUSY and EEXIST may mean a removed entry that somebody still has open: SMB, Windows
	Dev           uint64      // device number, 0 unknown
	NameMax       int         // the longest file name in bytes, 0 unknown
	ReadOnly      bool
	KeepsNames    bool // a path goes on leading to what was moved away, for up to a minute, until the directory it was in is asked for: NFS
}

// InheritMode returns the mode for a directory that whoever may use its parent shall be able to use: rwx for the owner,
// and the parent's bits for group and others with its setgid bit. Under a sticky parent, where everybody may create but
// must not remove each other's files, it is 0755.
func InheritMode(parent Info) fs.FileMode {
	mode := parent.Mode & fs.ModeSetgid
	if parent.Mode&fs.ModeSticky != 0 {
		return mode | 0o755
	}
	return mode | 0o700 | parent.Mode&0o077
}
