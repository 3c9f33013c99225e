//go:build unix

package runner

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// leaderMark is the hidden first argument of the process that waits to become the command. No path of a lock and no
// subcommand looks like it.
const leaderMark = "\x01leader"

// The arguments after the mark.
const (
	argParent  = 2 + iota // the pid that must be the parent
	argGo                 // the descriptor on which the parent says "go", or nothing
	argReport             // the descriptor on which a failing execve is reported
	argPath               // the executable
	argCommand            // the command's own argument vector
)

// Leader turns the process into a command's leader if it was started as one, and then never returns. It must be the first
// call of main: the leader does nothing else, and what other code opens would be the command's.
func Leader() {
	if len(os.Args) > argCommand && os.Args[1] == leaderMark {
		os.Exit(lead(os.Args))
	}
}

// lead waits for the word and becomes the command. It returns only when it did not, with an exit code that nobody reads
// after "go" (the parent has the errno) and that means nothing before it.
func lead(args []string) int {
	parent, err1 := strconv.Atoi(args[argParent])
	ready, err2 := strconv.Atoi(args[argGo])
	report, err3 := strconv.Atoi(args[argReport])
	if errors.Join(err1, err2, err3) != nil {
		return codeNotFound
	}
	// The parent passes the two ends of its pipes with close-on-exec off; the command is not to have them.
	unix.CloseOnExec(ready)
	unix.CloseOnExec(report)

	// The death signal belongs to the thread that asks for it, and execve keeps that thread's.
	runtime.LockOSThread()
	dieWithParent()
	if os.Getppid() != parent {
		return 0 // it died before the death signal was armed
	}

	var word [1]byte
	for {
		n, err := unix.Read(ready, word[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n != 1 {
			return 0 // the end: the lock was not to be had, or the parent is gone
		}
		break
	}

	path, argv := args[argPath], args[argCommand:]
	err := unix.Exec(path, argv, os.Environ())
	if errors.Is(err, unix.ENOEXEC) {
		// A script without a first line that names its interpreter: execvp(3) gives it to the shell, so does everyone.
		err = unix.Exec("/bin/sh", append([]string{"sh", path}, argv[1:]...), os.Environ())
	}
	errno, ok := errors.AsType[unix.Errno](err)
	if !ok {
		errno = unix.EINVAL // a NUL in an argument: cannot come from a command line
	}
	unix.Write(report, binary.NativeEndian.AppendUint32(nil, uint32(errno)))
	return codeCannotRun
}
