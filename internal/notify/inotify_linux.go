package notify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// What is asked of the kernel. IN_ATTRIB is not, and this is why inotify is used without a library between: each beat of a lock's heart
// would be an event to everybody who waits for it. IN_UNMOUNT, IN_IGNORED and IN_Q_OVERFLOW come unasked. IN_IGNORED always follows
// on a removal of the directory, so that IN_DELETE_SELF would only wake everybody twice.
const mask = unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// inotify is a source. Its numbers are the kernel's watch descriptors, which are one for one inode.
type inotify struct {
	fd   int // of file, which is open whenever it is used
	file *os.File
}

func openInotify(report sink) (source, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	file, err := pollable(fd, "inotify")
	if err != nil {
		return nil, err
	}
	i := &inotify{fd, file}
	go i.read(report)
	return i, nil
}

// pollable makes a non-blocking descriptor a file whose reader waits in the runtime's poller, not in a thread of its own. It
// closes the descriptor if that cannot be had.
func pollable(fd int, name string) (*os.File, error) {
	file := os.NewFile(uintptr(fd), name)
	if err := file.SetReadDeadline(time.Time{}); err != nil { // os.ErrNoDeadline where the poller does not know it
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

func (i *inotify) add(path string) (int, error) {
	for {
		wd, err := unix.InotifyAddWatch(i.fd, path, mask)
		if !errors.Is(err, unix.EINTR) {
			return wd, err
		}
	}
}

// An error says that the kernel has dropped it before us.
func (i *inotify) drop(id int) { _, _ = unix.InotifyRmWatch(i.fd, uint32(id)) }

func (i *inotify) close() { i.file.Close() }

func (i *inotify) read(report sink) {
	var buf [8192]byte // no event is longer than 16 + 256
	for {
		n, err := i.file.Read(buf[:])
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil {
			report(0, broken)
			return
		}
		parse(buf[:n], report)
	}
}

// parse reads what the kernel wrote: a struct inotify_event, whose last field is the length of the name that follows.
func parse(events []byte, report sink) {
	for len(events) >= unix.SizeofInotifyEvent {
		wd := int(int32(binary.NativeEndian.Uint32(events)))
		flags := binary.NativeEndian.Uint32(events[4:])
		name := uint64(binary.NativeEndian.Uint32(events[12:]))
		events = events[min(unix.SizeofInotifyEvent+name, uint64(len(events))):]
		switch {
		case flags&unix.IN_Q_OVERFLOW != 0:
			report(0, lost)
		case flags&unix.IN_IGNORED != 0:
			report(wd, over)
		default:
			report(wd, changed)
		}
	}
}
