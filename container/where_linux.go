package container

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// mostMounts is how much is read of /proc/self/mountinfo. A part of it would send a path to the wrong mount.
const mostMounts = 4 << 20

// where is asked only of what can have an answer: the rest costs no more than the look at what was found before.
func where(path string) Place {
	if !confined() {
		return Place{Machine, "no container was recognised"}
	}
	t, ok := readTable()
	if !ok {
		return Place{Unknown, "what is mounted there cannot be told: /proc/self/mountinfo cannot be read"}
	}
	return view{info: self(), table: t, born: born, start: started}.locate(path)
}

// confined reports whether this process is in a container or in a sandbox.
var confined = sync.OnceValue(func() bool {
	if contained(self()) {
		return true
	}
	t, _ := readTable()
	return sandboxed(t)
})

func readTable() (table, bool) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostMounts))
	return parseTable(data), err == nil && len(data) < mostMounts
}

// born asks when the root directory of a tmpfs was made. Nothing can hang there. Kernels before 6.0 do not say.
func born(r row) (time.Time, bool) {
	var st unix.Statx_t
	const flags = unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT | unix.AT_STATX_DONT_SYNC
	if err := unix.Statx(unix.AT_FDCWD, r.point, flags, unix.STATX_BTIME, &st); err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}, false
	}
	if fmt.Sprintf("%d:%d", st.Dev_major, st.Dev_minor) != r.dev { // something else was mounted there since
		return time.Time{}, false
	}
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec)), true
}

// started is the date at which pid 1 of this process's own pid namespace started, to a hundredth of a second.
func started() (time.Time, bool) {
	if self().HostPID {
		return time.Time{}, false
	}
	data, err := os.ReadFile("/proc/1/stat")
	if err != nil {
		return time.Time{}, false
	}
	var now, boot unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME, &now) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return time.Time{}, false
	}
	since, ok := startTicks(data)
	return time.Unix(0, now.Nano()-boot.Nano()).Add(since), ok
}

// startTicks is when a process started, counted from the kernel's start, out of its /proc/PID/stat.
func startTicks(stat []byte) (time.Duration, bool) {
	const field = 22 - 3                                       // proc_pid_stat(5) counts from 1; the third is the first behind the name
	f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // which may hold anything
	if len(f) <= field {
		return 0, false
	}
	n, err := strconv.ParseUint(string(f[field]), 10, 48)
	return time.Duration(n) * (time.Second / 100), err == nil // USER_HZ
}
