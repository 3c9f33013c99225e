package stamp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// stat is what we use of /proc/PID/stat, see proc_pid_stat(5).
type stat struct {
	state   byte
	group   int
	threads int
	start   uint64 // clock ticks since boot
}

// zombie reports that the whole process is over. A leader that called
// pthread_exit shows Z too while its other threads live and are counted.
func (s stat) zombie() bool {
	return (s.state == 'Z' || s.state == 'X') && s.threads == 1
}

// torn reports that the first thread was taken apart while it was looked at,
// which shows no threads and no group. It says nothing about the process: that
// is being reaped, or another of its threads has called execve and takes the
// pid over (seen on Linux 6.18: 20 of 40,000 looks at a process that did nothing
// else showed a Z without threads).
func (s stat) torn() bool { return s.threads == 0 }

var errStat = errors.New("not the format of /proc/PID/stat")

func parseStat(text []byte) (stat, error) {
	// The second field is the program's name in parentheses and may hold
	// spaces, newlines and parentheses, so count from its end.
	i := bytes.LastIndexByte(text, ')')
	if i < 0 {
		return stat{}, errStat
	}
	f := strings.Fields(string(text[i+1:]))
	const state, group, threads, start = 0, 2, 17, 19 // fields 3, 5, 20 and 22 of proc(5)
	if len(f) <= start || len(f[state]) != 1 || !unicode.IsLetter(rune(f[state][0])) {
		return stat{}, errStat
	}
	var st stat
	var err [3]error
	st.state = f[state][0]
	st.group, err[0] = strconv.Atoi(f[group])
	st.threads, err[1] = strconv.Atoi(f[threads])
	st.start, err[2] = strconv.ParseUint(f[start], 10, 64)
	if e := errors.Join(err[:]...); e != nil {
		return stat{}, fmt.Errorf("%w: %w", errStat, e)
	}
	if st.threads < 0 {
		return stat{}, errStat
	}
	return st, nil
}

// parseNSpid returns the numbers of the NSpid line of /proc/PID/status, from the
// namespace of that /proc inwards, or nil if the line is missing or malformed.
func parseNSpid(status []byte) []int {
	for line := range bytes.Lines(status) {
		rest, ok := bytes.CutPrefix(line, []byte("NSpid:"))
		if !ok {
			continue
		}
		var pids []int
		for f := range bytes.FieldsSeq(rest) {
			pid, err := strconv.Atoi(string(f))
			if err != nil || pid <= 0 {
				return nil
			}
			pids = append(pids, pid)
		}
		return pids
	}
	return nil
}

// ownNSpid reports whether the status that /proc/self shows to the process with
// this pid is of that process's own namespace. The pid must be the only one: seen
// from further out it may by chance have the same number there.
func ownNSpid(status []byte, pid int) bool {
	pids := parseNSpid(status)
	return len(pids) == 1 && pids[0] == pid
}

// parseNamespace returns the inode number of a link such as "pid:[4026531836]",
// 0 if it is none of that kind.
func parseNamespace(kind, link string) uint64 {
	s, ok := strings.CutPrefix(link, kind+":[")
	if !ok {
		return 0
	}
	s, ok = strings.CutSuffix(s, "]")
	if !ok {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// parseBootID returns the boot of a line in the usual form of a UUID, zero if
// it is not one.
func parseBootID(line string) Boot {
	u, _ := parseUUID(strings.TrimSuffix(line, "\n"))
	return u
}

// procHidden says from /proc/self/mountinfo why processes may be missing from
// /proc, "" if all of them are shown. What is not understood hides.
func procHidden(mountinfo []byte) string {
	found := "no mount at /proc"
	for line := range bytes.Lines(mountinfo) {
		f := strings.Fields(string(line))
		// id parent major:minor root mountpoint options [tag...] - type source superoptions
		sep := -1
		for i := 6; i < len(f); i++ {
			if f[i] == "-" {
				sep = i
				break
			}
		}
		if sep < 0 || len(f) < sep+4 || f[4] != "/proc" {
			continue
		}
		// A later line is mounted over an earlier one and is what we see.
		if f[sep+1] != "proc" || f[3] != "/" {
			found = "/proc is not a whole proc file system"
			continue
		}
		found = ""
		for opt := range strings.SplitSeq(f[5]+","+f[len(f)-1], ",") {
			if v, ok := strings.CutPrefix(opt, "hidepid="); ok && v != "0" && v != "off" {
				found = "/proc is mounted with " + opt
			}
		}
	}
	return found
}
