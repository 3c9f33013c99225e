package stamp

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/windows"
)

// startSlack is 0: the creation time of a process is fixed.
const startSlack = 0

const asking = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.SYNCHRONIZE

// exists asks whether there is a process with this pid. OpenProcess says
// ERROR_INVALID_PARAMETER for a pid that nobody has, and ERROR_ACCESS_DENIED for
// one that is somebody's (processthreadsapi.h, OpenProcess).
func (asker) exists(pid int) (Answer, string) {
	// Pids are multiples of 4, and OpenProcess ignores the two bits below: it
	// would answer for another process.
	if pid%4 != 0 {
		return Unknown, fmt.Sprintf("%d is not a pid of Windows", pid)
	}
	h, err := windows.OpenProcess(asking, false, uint32(pid))
	switch {
	case err == nil:
		windows.CloseHandle(h)
		return Alive, fmt.Sprintf("OpenProcess(%d): it is there", pid)
	case errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return Alive, fmt.Sprintf("OpenProcess(%d): access denied, it is there", pid)
	case errors.Is(err, windows.ERROR_INVALID_PARAMETER):
		return Dead, fmt.Sprintf("OpenProcess(%d): no such process", pid)
	}
	return Unknown, fmt.Sprintf("OpenProcess(%d): %v", pid, err)
}

// exited asks the process object itself, which is signalled once the process has
// ended, and which may outlive it for as long as somebody has it open (synchapi.h,
// WaitForSingleObject).
func (asker) exited(pid int) (how string, dead bool) {
	h, err := windows.OpenProcess(asking, false, uint32(pid))
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(h)
	if event, err := windows.WaitForSingleObject(h, 0); err != nil || event != windows.WAIT_OBJECT_0 {
		return "", false
	}
	return fmt.Sprintf("pid %d has ended", pid), true
}

func (asker) lookup(_ Identity, pid int) (process, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		err = fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	if err != nil {
		return process{}, err
	}
	defer windows.CloseHandle(h)
	start, err := created(h)
	return process{start: start}, err
}

// created is when a process was made, in units of 100 ns, as the system clock then
// said; it stays as it is.
func created(h windows.Handle) (uint64, error) {
	var creation, exit, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &creation, &exit, &kernel, &user); err != nil {
		return 0, err
	}
	return uint64(creation.HighDateTime)<<32 | uint64(creation.LowDateTime), nil
}

// groupExists: Windows has no process groups; a stamp that names one is not from here.
func (asker) groupExists(Identity, int) (Answer, string) { return Unknown, "no process groups here" }

func (asker) members(Identity, int) (census, error) { return census{}, errors.ErrUnsupported }
