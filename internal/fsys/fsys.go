// Package fsys is the seam between the lock protocol and the file system.
//
// The protocol talks to directories only through [FS] and [Dir], so that it runs unchanged on a real mount ([OS]), on a
// simulated one, and behind a fault injector. Each method is one system call, or the fewest that do it, so that what the
// protocol counts as one step is one step of the kernel, too.
//
// The file systems meant are the local ones of every platform, NFS v3 and v4, SMB, and FUSE mounts; what differs between
// them is said in [Traits].
package fsys

import (
	"io"
	"io/fs"
	"time"
)

// FS is what the protocol asks of a file system.
//
// No method follows a symbolic link in the last element of its path, and none blocks on a FIFO. None is retried, except
// after EINTR where the interrupted call certainly had no effect: opening, listing, reading and stating, never mkdir, rmdir, unlink,
// or a create, whose EINTR is returned, so that the caller looks at what became of it.
//
// Every error is a [*fs.PathError] with the operation's name, the path and the system's error number; [Is] sorts them.
// Methods may be called from several goroutines at once. A method may hang for as long as the mount does.
type FS interface {
	// Resolve returns path as an absolute one with every link of the parent resolved and the last element left alone; it need
	// not exist. Trailing slashes are ignored. The empty path and a last element of "." or ".." are [fs.ErrInvalid], as is a
	// path with a NUL byte. If the parent cannot be reached the error names the parent: ENOENT, ENOTDIR, EACCES.
	Resolve(path string) (string, error)

	// Mkdir is one mkdir(2). The umask applies.
	Mkdir(path string, mode fs.FileMode) error

	// Rmdir is one rmdir(2): it removes an empty directory and nothing else. A directory that is not empty is class
	// [NotEmpty] on every system.
	Rmdir(path string) error

	// Unlink is one unlink(2). It never removes a directory.
	Unlink(path string) error

	// OpenDir opens a directory for the use of one goroutine at a time. Anything that is not a directory, a link to one
	// included, is class [NotDir].
	OpenDir(path string) (Dir, error)

	// Stat says what path is now: the client's attribute cache is not believed (a forced sync on Linux; elsewhere the system's
	// own rules apply).
	Stat(path string) (Info, error)

	// Touch sets the times of path to the system's now (UTIME_NOW), so that whose clock it is follows from the mount, see
	// [Traits]. It needs write permission only, not ownership.
	Touch(path string) error

	// SetMtime sets the modification time of path to t, of this host's choosing. The protocol has no use for it; tests do.
	SetMtime(path string, t time.Time) error

	// Create is [Dir.Create] by path. Not for a file whose times others look at: an NFS server may leave it, its times included, to
	// this client.
	Create(path string, data []byte, mode fs.FileMode) error

	// Traits describes the mount that path, an existing directory or file, lies on.
	Traits(path string) (Traits, error)

	// Mount names the mount that an absolute, resolved path lies on, as an opaque identifier, lexically and without
	// touching any file on it, so that it answers although the mount hangs. It is "" where that is not known.
	Mount(path string) string

	// Mounts is a number that changes whenever what is mounted does, 0 where that is not known.
	Mounts() uint64

	// Near resolves path where that needs no server and no other process: an absolute path without a link on the way, past this
	// kernel's own mounts alone. With memory, what is at its end lies in this kernel's memory. It reports false of all others, and where
	// nothing is known of mounts; then Resolve is to be asked, which may hang.
	Near(path string) (resolved string, memory, ok bool)

	// Clock reads the clock by which the mount with traits t stamps files, now.
	//
	// Where this kernel does the stamping (t.Local) it asks the kernel and touches nothing. Elsewhere it does as
	// [ProbeClock] does with aux, a directory of ours on the mount.
	Clock(aux string, t Traits) (time.Time, error)
}

// Dir is an open directory. Its methods act on that directory, wherever it is now, even after it was renamed or another
// took its place; in one that was removed they fail with class [NotExist] (or [Stale]). It is for one goroutine at a time.
type Dir interface {
	// Create makes the file name, which must not exist, with the given content and mode, whatever the umask, and closes it. No server leaves
	// the file to this client.
	// It reports what went wrong at any step, the close included, and never removes anything: [Created] tells whether an
	// error came after the file had been made.
	Create(name string, data []byte, mode fs.FileMode) error

	// Guard opens a file that this process has made, and takes the lock on it for itself, without waiting for it: class [Busy] if somebody
	// else has it. The kernel drops it at Close, and when this process ends, however that comes about. Where [Traits.Guards] is false it may
	// fail, and what it returns keep nobody out.
	Guard(name string) (io.Closer, error)

	// Probe opens a regular file and takes the lock on it beside others who probe, without waiting for it: class [Busy] if somebody has
	// it by Guard. Until Close it keeps out who wants it by Guard. Anything that is not a regular file is [ErrNotRegular]. Not for files of
	// others on a network file system, see Read.
	Probe(name string) (io.Closer, error)

	// List returns all entries but "." and "..", from the first one at each call, in the file system's order.
	List() ([]Entry, error)

	// Stat is [FS.Stat] of an entry.
	Stat(name string) (Info, error)

	// Unlink is [FS.Unlink] of an entry.
	Unlink(name string) error

	// Read returns the content of a regular file of at most max bytes; of a longer one the first max bytes and [ErrTooLong]. Anything that
	// is not a regular file is [ErrNotRegular], and neither blocks nor is changed by being looked at.
	// To open a file on NFS may make its holder's next beat hang: not for files of others on a network file system.
	Read(name string, max int) ([]byte, error)

	// Grant gives the directory itself the permission bits of mode, and setgid and sticky where mode has them; it takes neither of
	// these two away. What this client knows of the directory is believed: where that is so already no server is told, or asked.
	Grant(mode fs.FileMode) error

	// Info describes the directory itself. Nlink is 0 once it was removed, where the system says so.
	Info() (Info, error)

	// Traits describes the mount that the directory is on.
	Traits() (Traits, error)

	// Close gives the descriptor back. A second call is [fs.ErrClosed].
	Close() error
}
