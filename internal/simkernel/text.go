package simkernel

import (
	"fmt"
	"strings"
)

// The texts of /proc, see proc_pid_stat(5), proc_pid_status(5) and proc_pid_mountinfo(5).

// comm is every process's name; it has in it what a reader might count by.
const comm = "sim) Z 1 (1"

func (f *procfs) stat(t *thread) string {
	p := t.proc
	state, ppid, group, threads := p.letter(t), p.parentIn(f.Of), p.group.in(f.Of), len(p.threads)
	if p.torn > 0 {
		p.torn--
		state, ppid, group, threads = 'Z', 0, -1, 0
	}
	return fmt.Sprintf("%d (%s) %c %d %d %d 0 -1 4194560 36 0 0 0 0 0 0 0 20 0 %d 0 %d 10928128 232 18446744073709551615"+
		" 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		t.id.in(f.Of), comm, state, ppid, group, group, threads, t.start+uint64(f.p.time.ahead))
}

func (f *procfs) status(t *thread) string {
	p := t.proc
	var b strings.Builder
	fmt.Fprintf(&b, "Name:\t%s\nUmask:\t0022\nState:\t%s\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n",
		comm, stateNames[p.letter(t)], p.id.in(f.Of), t.id.in(f.Of), p.parentIn(f.Of))
	fmt.Fprintf(&b, "Uid:\t%d\t%[1]d\t%[1]d\t%[1]d\nGid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\nFDSize:\t64\nGroups:\t\n", p.uid)
	for _, id := range []struct {
		key string
		nr  *number
	}{{"NStgid", p.id}, {"NSpid", t.id}, {"NSpgid", p.group}} {
		b.WriteString(id.key + ":")
		for level := f.Of.level; level <= t.id.ns.level; level++ {
			fmt.Fprintf(&b, "\t%d", id.nr.in(t.id.ns.at(level)))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "Threads:\t%d\n", len(p.threads))
	return b.String()
}

var stateNames = map[byte]string{'S': "S (sleeping)", 'T': "T (stopped)", 'Z': "Z (zombie)"}

func (p *Process) letter(t *thread) byte {
	switch {
	case p.over(), p.state == LeaderLeft && t == p.threads[0]:
		return 'Z'
	case p.state == Stopped:
		return 'T'
	}
	return 'S'
}

func (p *Process) parentIn(ns *Namespace) int {
	if p.parent == nil {
		return 0
	}
	return p.parent.id.in(ns)
}

func (f *procfs) mountinfo() string {
	options := "rw"
	if f.Hide != HideNothing {
		options += ",hidepid=" + string(f.Hide)
	}
	return "45 43 254:0 / / rw,relatime - ext4 /dev/vda rw\n" +
		"63 45 0:39 / /proc rw,nosuid,nodev,noexec,relatime - proc proc " + options + "\n"
}
