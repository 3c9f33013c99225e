package memfs

import "time"

// Behaviour says where a mount differs from a local file system. The zero value has every oddity that was met on any, each
// for the longest time that was measured; what is set takes one back. Times: 0 is the longest, a negative one is none.
//
// "Measured" is with Linux 6.1, default mount options, on NFSv4.2, NFSv3 and SMB 3.1.1 (Samba 4.17).
type Behaviour struct {
	// AttrAge is how long a plain stat, [Client.CachedStat], may be answered from memory. 0: 60 s.
	// Measured: NFS showed another host's touch after 1 to 58 s, SMB after up to 1 s.
	AttrAge time.Duration

	// AttrGrows begins with 3 s for a file and 30 s for a directory and doubles, up to AttrAge, with each look that finds it unchanged.
	// Measured: on NFS 3.0 s for a file that had just been stat'ed, 58 s for one that had been stat'ed for 95 s.
	AttrGrows bool

	// ListAge is how long a listing may be answered from memory while the directory's mtime is what it was. 0: 75 s. An own
	// change ends it. Measured: on NFSv3, which knows a change by the mtime only, stale in 221 of 300 tries where a listing
	// was made between two changes in one tick of the server, once for over 75 s; never on NFSv4.2 and SMB.
	ListAge time.Duration

	// MissingAge is how long a name that was looked up and not found stays missing although another host makes it. 0: 30 s. It ends
	// with a fresh listing of its directory, and when mkdir or create, which ask the server, find it.
	// Measured: 30 s on NFSv4.2 and NFSv3, 1 s on SMB, by forced stat of the name, too, and for what is below it; and of what the host
	// removed itself.
	MissingAge time.Duration

	// StatRenews lets a forced stat of a directory end MissingAge and PathAge of the names in it. Measured: so on NFS; not on SMB.
	StatRenews bool

	// ChangeAsks lets touch, unlink and rmdir of a name that was missing ask the server. Measured: so on SMB; not on NFS.
	ChangeAsks bool

	// ExistAge is how long a name that another host has removed is taken to be there. 0: 1 s, counted from when the server last said
	// so. Mkdir and create say EEXIST, and a directory can be opened, though the server then knows nothing of it; that does not end it,
	// and no call for what is below it does. A forced stat of the name does, or of the open directory.
	// Measured: 1.0 s on SMB; at once on NFS.
	ExistAge time.Duration

	// OpenIsNode lets an open directory be the directory itself, wherever it is. Otherwise it is a path, to the server: what another host has
	// put in its place is listed, stamped and removed from; only a forced stat of the directory, which a second listing includes, says ESTALE.
	// Measured: a path on SMB, but for changes of the host's own.
	OpenIsNode bool

	// PathAge is how long a path goes on leading to what it led to, after that was renamed away. 0: 30 s, counted as
	// ExistAge is. mkdir and create ask the server all the same. It ends with a forced stat or a listing of the directory that it was in.
	// Measured: on NFSv3 and NFSv4.2 stat, by force too, utimes and opening by path reach the renamed directory for 30 s; on SMB
	// only utimes does, see LingerAge, and all else says ENOENT.
	PathAge time.Duration

	// LastAge is how old a file may be, when another host removes it, for which the server answers once more to who knew it: the next Touch
	// succeeds, or a forced stat says nlink 0, see GoneAge. 0: of any age.
	// Measured: NFSv3 and SMB answer one more beat after a removal, on NFSv3 where the directory was removed, too; NFSv4.2 only where
	// the file was made less than a second before.
	LastAge time.Duration

	// GoneAge is how long such a forced stat answers. 0: 3 s. Measured: nlink 0 on NFSv3 and NFSv4.2, less than 2 s after the removal; ENOENT
	// at once on SMB.
	GoneAge time.Duration

	// LingerAge is how long the host that made a file keeps it open after that. 0: 1 s. Its touches reach it meanwhile, although another host
	// has removed it or moved it away, until a forced stat of the name says that it is gone; where open files are pending, see NoPending, so is this one.
	// Measured: 1 s on SMB. What the host removes itself it closes before.
	LingerAge time.Duration

	// GoneIsENOENT is what is said through the handle of a directory that was removed. Otherwise it is ESTALE.
	// Measured: ESTALE on NFS, ENOENT on SMB: of listing, statfs, stat and create.
	GoneIsENOENT bool

	// NoSilly removes a file that this host has open. Otherwise it stays in its directory as .nfsXXXX until it is closed.
	// Measured: so on NFS, where rmdir says ENOTEMPTY meanwhile, to every host.
	NoSilly bool

	// NoPending removes a file that any host has open. Otherwise its name stays until it is closed by all whose mounts do so: it is
	// listed, and rmdir says ENOTEMPTY; mkdir and create of that name say EACCES, all else ENOENT. A directory that somebody has listed and
	// not closed is removed in the same way: rmdir succeeds, mkdir of that name says EEXIST, all else ENOENT. Files in it are made, touched
	// and removed all the same; if there is one when the directory is closed, it is there again. (For two minutes, too, by a host that is
	// cut off.) Measured: so on SMB.
	NoPending bool

	// DelegationAge is how long the server waits for a host that it cannot reach and that has a file of which another host wants more than a
	// look: to touch it or to remove it. 0: 104 s. It has a file that it has opened for reading, if that was not made in the second before and not
	// asked back in the half minute before, until it is asked back; whether a program there has it open still does not matter. See [Client.Waits].
	// Measured: on NFSv4.2 a touch hung for 13 to 104 s, 27 s with leases of 20 s, and so did an unlink; a look did not. Not on NFSv3 and SMB.
	DelegationAge time.Duration

	// NoWriteDelegation has the server leave no file to the host that makes it. Otherwise it does, with its times, unless the file is made through its
	// open directory, as the seam has it: see [fsys.Dir]. Touches then are by the host's clock, and nobody is told: others see the time of the creation. Who looks
	// waits for the host as who touches does. Measured: so on NFSv4.2 with Linux 7.2 on both sides, not with 6.1.
	NoWriteDelegation bool

	// NoDirDelegation has it leave no directory to the host that looks at it. Otherwise, what changes that waits for the host.
	// Measured: so on NFSv4.2 with Linux 7.2 clients, unless they are told otherwise, as docs/filesystems.md would have it.
	NoDirDelegation bool

	// BreakAge is how long an unlink waits for a host that cannot be reached and has the file open; then the server closes it. 0: 1.4 s.
	// Measured: 1.3 to 1.4 s on SMB; a touch does not wait.
	BreakAge time.Duration

	// ShowAge is how long a new file may show its creator's clock instead of the server's. 0: 3 s.
	// Measured: on SMB others saw the creator's time (100 s ahead), 3 s later the server's: the mtime goes back.
	ShowAge time.Duration

	// Grain is how exact the mtimes are that a client sees and sets. 0: 1 s.
	// Measured: 1 s by sshfs, 100 ns on SMB, 1 ns on NFS.
	Grain time.Duration
}

// none is the plain behaviour, of a local file system.
var none = Behaviour{
	AttrAge: -1, ListAge: -1, MissingAge: -1, StatRenews: true, ChangeAsks: true, ExistAge: -1, OpenIsNode: true, PathAge: -1, GoneAge: -1,
	LastAge: -1, LingerAge: -1, GoneIsENOENT: true, NoSilly: true, NoPending: true,
	DelegationAge: -1, NoWriteDelegation: true, NoDirDelegation: true, BreakAge: -1, ShowAge: -1, Grain: 1,
}

// NFSv3 is an NFSv3 mount with default options.
func NFSv3() Behaviour {
	b := none
	b.AttrAge, b.AttrGrows, b.ListAge, b.MissingAge, b.ChangeAsks, b.PathAge = 0, true, 0, 0, false, 0
	b.LastAge, b.GoneAge, b.GoneIsENOENT, b.NoSilly = 0, 0, false, false
	return b
}

// NFSv4 is an NFSv4.2 mount with default options.
func NFSv4() Behaviour {
	b := none
	b.AttrAge, b.AttrGrows, b.MissingAge, b.ChangeAsks, b.PathAge = 0, true, 0, false, 0
	b.LastAge, b.GoneAge, b.GoneIsENOENT, b.NoSilly, b.DelegationAge = time.Second, 0, false, false, 0
	return b
}

// NFSv4New is an NFSv4.2 mount between newer kernels, whose clients do not ask for delegations of directories.
func NFSv4New() Behaviour {
	b := NFSv4()
	b.NoWriteDelegation = false
	return b
}

// SMB3 is an SMB 3.1.1 mount with default options.
func SMB3() Behaviour {
	b := none
	b.AttrAge, b.MissingAge, b.StatRenews, b.ExistAge, b.OpenIsNode = time.Second, time.Second, false, 0, false
	b.LastAge, b.LingerAge, b.NoPending, b.BreakAge, b.ShowAge = 0, 0, false, 0, 0
	b.Grain = 100 * time.Nanosecond
	return b
}

const forever = 1 << 62

// settled is b with the times that it stands for; 0 is none by then.
func (b Behaviour) settled() Behaviour {
	for age, longest := range map[*time.Duration]time.Duration{
		&b.AttrAge: time.Minute, &b.ListAge: 75 * time.Second, &b.MissingAge: 30 * time.Second, &b.ExistAge: time.Second,
		&b.PathAge: 30 * time.Second, &b.GoneAge: 3 * time.Second, &b.LastAge: forever, &b.LingerAge: time.Second,
		&b.DelegationAge: 104 * time.Second, &b.BreakAge: 1400 * time.Millisecond, &b.ShowAge: 3 * time.Second, &b.Grain: time.Second,
	} {
		if *age == 0 {
			*age = longest
		}
		*age = max(*age, 0)
	}
	return b
}
