package fsys

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// knownTraits are those of mounts that were asked for them, for as long as nothing is mounted, unmounted or remounted. To ask is a
// message to the server on each network file system, and nothing that traits say changes behind the mount table's back.
// Local mounts are not among them: to ask them is cheaper than to see whether the table is still the same, which therefore is done
// only where there is anything to find.
type knownTraits struct {
	any    atomic.Bool
	mu     sync.Mutex
	mounts uint64 // what FS.Mounts said when they were asked
	by     map[uint64]Traits
}

var remote knownTraits

// of returns the traits of the mount that an open file is on, if they are known.
func (k *knownTraits) of(fd int) (t Traits, ok bool) {
	if !k.any.Load() {
		return Traits{}, false
	}
	id, mounts := mountID(fd), osFS{}.Mounts()
	k.mu.Lock()
	defer k.mu.Unlock()
	if id != 0 && mounts == k.mounts {
		t, ok = k.by[id]
	}
	return t, ok
}

func (k *knownTraits) keep(fd int, t Traits) {
	id, mounts := mountID(fd), osFS{}.Mounts()
	if id == 0 || mounts == 0 {
		return
	}
	k.any.Store(true)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil || mounts != k.mounts {
		k.by, k.mounts = map[uint64]Traits{}, mounts
	}
	k.by[id] = t
}

// mountID is the kernel's number of the mount that an open file is on, 0 where it does not say (before Linux 5.8). It knows that
// without asking a server.
func mountID(fd int) uint64 {
	var st unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_MNT_ID, &st)
	if err != nil || st.Mask&unix.STATX_MNT_ID == 0 {
		return 0
	}
	return st.Mnt_id
}
