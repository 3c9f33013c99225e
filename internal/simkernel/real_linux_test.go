package simkernel_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// pair is one process twice: a real child of this test, and one that is set up alike on a simulated kernel.
type pair struct {
	t     *testing.T
	real  *exec.Cmd
	sim   *simkernel.Process
	asker *simkernel.Process
}

func pairOf(t *testing.T, role string, group *pair) pair {
	t.Helper()
	return pairAs(t, role, os.Geteuid(), group)
}

func pairAs(t *testing.T, role string, uid int, group *pair) pair {
	t.Helper()
	p := pair{t: t}
	spec := simkernel.Spec{UID: uid, Threads: 3}
	if group == nil {
		m := simkernel.New([16]byte{1}, "h")
		p.real, p.asker = child(t, role, uid, 0), spawn(t, m.Initial(), simkernel.Spec{UID: os.Geteuid()})
	} else {
		p.real, p.asker = child(t, role, uid, group.real.Process.Pid), group.asker
		spec.Group = group.sim
	}
	spec.Parent = p.asker
	p.sim = spawn(t, p.asker.Namespace(), spec)
	return p
}

func spawn(t *testing.T, ns *simkernel.Namespace, spec simkernel.Spec) *simkernel.Process {
	t.Helper()
	p, err := ns.Spawn(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// same asks both kernels about the process and about its number as a group's, and sees that the answer has this in it.
func (p pair) same(how string, has ...string) {
	p.t.Helper()
	for _, sign := range []int{1, -1} {
		real := about(kernel.Real(), sign*p.real.Process.Pid, map[int]string{os.Getpid(): "asker", p.real.Process.Pid: "it"})
		sim := about(p.asker.View(nil), sign*p.sim.PID(), map[int]string{p.asker.PID(): "asker", p.sim.PID(): "it"})
		if real != sim {
			p.t.Errorf("%s (%+d):\n%s, really\n%s, simulated", how, sign, real, sim)
		}
		for _, part := range has {
			if sign == 1 && !strings.Contains(real, part) {
				p.t.Errorf("%s: not %q: %s", how, part, real)
			}
		}
	}
}

func (p pair) signal(sig unix.Signal) {
	p.t.Helper()
	if err := unix.Kill(p.real.Process.Pid, sig); err != nil {
		p.t.Fatal(err)
	}
}

func (p pair) kill() {
	p.t.Helper()
	p.signal(unix.SIGKILL)
	err := unix.Waitid(unix.P_PID, p.real.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	if err := errors.Join(err, p.sim.Kill()); err != nil {
		p.t.Fatal(err)
	}
}

func (p pair) reap() {
	p.t.Helper()
	p.real.Wait()
	if err := p.sim.Reap(); err != nil {
		p.t.Fatal(err)
	}
}

// until waits until the real kernel says so of the child.
func (p pair) until(part string) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(about(kernel.Real(), p.real.Process.Pid, nil), part); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("waited in vain for %q", part)
		}
	}
}

func TestLikeTheRealKernel(t *testing.T) {
	p := pairOf(t, "stay", nil)
	p.same("running", "kill: ok; pidfd: false", "it S parent asker group it threads many")

	p.signal(unix.SIGSTOP)
	p.until(" T ")
	p.sim.Stop()
	p.same("stopped", "kill: ok; pidfd: false", " T ")

	p.signal(unix.SIGCONT)
	p.until(" S ")
	p.sim.Continue()
	p.same("running again", " S ")

	p.kill()
	p.same("zombie", "kill: ok; pidfd: true true", "it Z parent asker group it threads 1")
	p.reap()
	p.same("gone", "no such process")
}

func TestLikeTheRealKernelWhenTheLeaderLeaves(t *testing.T) {
	p := pairOf(t, "leave", nil)
	p.until(" Z ")
	p.sim.LeaveLeader()
	p.same("the leader has left", "kill: ok; pidfd: false", "it Z parent asker group it threads many")
	p.kill()
	p.same("all have ended", "kill: ok; pidfd: true true", "threads 1")
	p.reap()
	p.same("gone", "no such process")
}

func TestLikeTheRealKernelGroups(t *testing.T) {
	leader := pairOf(t, "stay", nil)
	member := pairOf(t, "stay", &leader)
	member.same("the member", "kill: ok", "group another")
	leader.kill()
	leader.same("zombie leader", "kill: ok")
	leader.reap()
	leader.same("the group is left", "no such process")
	member.kill()
	leader.same("a zombie in the group")
	member.same("zombie member", "kill: ok", "group another")
	member.reap()
	leader.same("the group is gone")
}

func TestLikeTheRealKernelForThreads(t *testing.T) {
	p := pairOf(t, "stay", nil)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.real.Process.Pid))
	if err != nil || len(tasks) < 2 {
		t.Fatal(tasks, err)
	}
	tid, _ := strconv.Atoi(tasks[1].Name())
	simTid := p.sim.Threads()[1]
	compare := func(how string) {
		t.Helper()
		real := about(kernel.Real(), tid, map[int]string{os.Getpid(): "asker", p.real.Process.Pid: "it", tid: "thread"})
		sim := about(p.asker.View(nil), simTid, map[int]string{p.asker.PID(): "asker", p.sim.PID(): "it", simTid: "thread"})
		differ(t, how, real, sim)
	}
	compare("alive")
	p.kill()
	compare("of a zombie")
}

func TestLikeTheRealKernelForNonsense(t *testing.T) {
	p := pairOf(t, "stay", nil)
	for _, pid := range []int{0, -1, 0x3ffffff0, -0x3ffffff0, 1 << 31, -1 << 31, 1<<32 + 0x3ffffff0} {
		differ(t, strconv.Itoa(pid), about(kernel.Real(), pid, nil), about(p.asker.View(nil), pid, nil))
	}
	differ(t, "no pid_t", word(kernel.Real().Kill(1<<32+os.Getpid())), word(p.asker.View(nil).Kill(1<<32+p.asker.PID())))
}
