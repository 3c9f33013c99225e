package proctest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Pid returns the child's pid in the namespace of the test. Where the child was started under other commands it is a
// descendant of the process that the test knows.
func (p *Proc) Pid() int {
	p.t.Helper()
	pid, err := p.pid()
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

func (p *Proc) pid() (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	for _, pid := range descendants(p.cmd.Process.Pid) {
		// A tracer, a shell before its exec, and the like have other programs.
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil || filepath.Base(exe) != filepath.Base(self) {
			continue
		}
		if env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); bytes.Contains(env, []byte(`"`+p.ID+`"`)) {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("%s has no process", p.ID)
}

// descendants returns pid and all that have it as an ancestor, oldest generation first.
func descendants(pid int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has just ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		children[parent] = append(children[parent], child)
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// Kill ends the child and whatever it was started under without warning, and returns when it is gone: a zombie that was
// left unreaped is gone, too. It is not an error if it is gone already.
func (p *Proc) Kill() {
	if p.far != nil {
		p.farAway("kill", "-KILL", fmt.Sprint(p.Inner)) // or it is gone
	}
	// The child first: a tracer that goes first would set it free.
	for _, pid := range slices.Backward(descendants(p.cmd.Process.Pid)) {
		unix.Kill(pid, unix.SIGKILL)
	}
	if !p.corpse {
		<-p.exited
		return
	}
	for range p.answers { // closed when the last thread has closed its output
	}
}

// Exited waits until the child is gone.
func (p *Proc) Exited(bound time.Duration) {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(bound):
		p.t.Fatalf("%s is still there after %v", p.ID, bound)
	}
}

// Stop stops the child with SIGSTOP, and returns when all of its threads have stopped.
func (p *Proc) Stop() {
	p.t.Helper()
	if p.far != nil {
		p.note("gets", "SIGSTOP")
		p.farSignal("STOP")
		return
	}
	pid := p.Pid()
	p.note("gets", "SIGSTOP")
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		p.t.Fatal(err)
	}
	Until(p.t, Patience, "the child has stopped", func() bool {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", pid))
		for _, name := range tasks {
			text, err := os.ReadFile(name)
			if err == nil && !bytes.Contains(text, []byte(") T ")) {
				return false
			}
		}
		return len(tasks) > 0
	})
}

// Cont lets a stopped child go on.
func (p *Proc) Cont() {
	p.t.Helper()
	p.note("gets", "SIGCONT")
	if p.far != nil {
		p.farSignal("CONT")
		return
	}
	if err := unix.Kill(p.Pid(), unix.SIGCONT); err != nil {
		p.t.Fatal(err)
	}
}
