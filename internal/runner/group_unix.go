//go:build unix

package runner

import (
	"errors"

	"golang.org/x/sys/unix"
)

// group is a process group of which this process is no member.
type group int

// send sends sig to every member that may be sent it. Members that may not are not forgotten: alive counts them.
func (g group) send(sig unix.Signal) { unix.Kill(-int(g), sig) }

// alive reports whether the group has members. A zombie is one, as long as its parent, outside the group, forgets it.
func (g group) alive() bool {
	g.reap()
	return !errors.Is(unix.Kill(-int(g), 0), unix.ESRCH)
}

// reap buries members whose parent ended and who became this process's children: where it is pid 1, or a subreaper.
func (g group) reap() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-int(g), &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}
