// Package kernel is what package stamp asks a Linux kernel about processes, each method one system call or the reading of
// one file. The code that ships asks the real one; the simulator hands that same code a kernel of its own through [Ask],
// [AskAcross], [Identify] and [StartOf], so that no test seam stands in the public API.
package kernel

// A System is a kernel as one process sees it. Its methods may be called from many goroutines at once.
type System interface {
	// Kill is kill(pid, 0); a negative pid names a group. The error is a plain syscall.Errno.
	Kill(pid int) error

	// Pidfd is pidfd_open(pid, 0).
	Pidfd(pid int) (Pidfd, error)

	// Proc opens what is mounted at /proc, for one question. What is read after a check then comes from the mount that
	// was checked, even if another is mounted over it meanwhile.
	Proc() (ProcFS, error)
}

// A Pidfd is a descriptor of one process, which stays that process's when its pid is given away.
type Pidfd interface {
	Readable() bool // one poll(2) that does not wait: it says POLLIN
	Close() error
}

// A ProcFS is /proc held open. Names are relative to it: "self/status". Errors match those of package fs and the
// syscall.Errno that they come from.
type ProcFS interface {
	ReadFile(name string) ([]byte, error)
	Readlink(name string) (string, error)
	Names() ([]string, error) // of all entries of its root, in no order
	Close() error
}

// Package stamp sets these when it is initialised on Linux; elsewhere they stay nil, as the code that they run is not
// there. Identity, stamp and evidence are its types of these names.
var (
	// Ask is stamp.Ask, asking sys.
	Ask func(sys System, identity, stamp any) (evidence any)

	// AskAcross is stamp.AskAcross, asking sys.
	AskAcross func(sys System, identity, stamp any) (evidence any)

	// Identify reads from sys what stamp.Self keeps of the process with this pid, which must be the one that sys is seen
	// by. Host is left to the caller.
	Identify func(sys System, pid int) (identity any)

	// StartOf is stamp.StartOf, asking sys as the process of this identity.
	StartOf func(sys System, identity any, pid int) (start uint64, err error)
)
