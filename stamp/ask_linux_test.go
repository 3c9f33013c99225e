package stamp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAskAliveStoppedZombieDead(t *testing.T) {
	h := startHelper(t, nil)
	s := stampOf(t, h.pid)
	if got := h.self(); got.PID != s.PID || got.Start != s.Start || !got.SameHost(s) {
		t.Fatalf("it says %+v, we say %+v", got, s)
	}
	want(t, Ask(Self(), s), Alive, "it is there")

	unix.Kill(h.pid, unix.SIGSTOP)
	waitFor(t, "stopped", func() bool { return stateOf(t, h.pid) == "T" })
	want(t, Ask(Self(), s), Alive, "it is there")

	zombify(t, h.pid)
	if err := unix.Kill(h.pid, 0); err != nil {
		t.Fatalf("kill on a zombie: %v", err)
	}
	want(t, Ask(Self(), s), Dead, "pidfd")
	blind := Self()
	blind.ProcOurs = false
	want(t, Ask(blind, s), Dead, "pidfd")
	if p, err := here.lookup(Self(), h.pid); err != nil || !p.zombie {
		t.Errorf("/proc on a zombie: %+v, %v", p, err)
	}

	h.reap()
	want(t, Ask(Self(), s), Dead, "ESRCH")
}

func TestAskZombieWithoutPidfd(t *testing.T) {
	needRoot(t)
	// strace makes pidfd_open a call that this kernel does not have.
	waiter := startHelper(t, nil, strace(t, "/dev/null", "pidfd_open", "error=ENOSYS")...)
	h := startHelper(t, nil)
	s := stampOf(t, h.pid)
	want(t, waiter.ask(question{Stamp: s}), Alive, "it is there")
	zombify(t, h.pid)
	want(t, waiter.ask(question{Stamp: s}), Dead, "zombie")
}

// strace is the command to run a helper under that writes down one of its
// system calls, or answers it with an error.
func strace(t *testing.T, log, call, inject string) []string {
	t.Helper()
	if out, err := exec.Command("strace", "-V").CombinedOutput(); err != nil {
		t.Fatalf("strace is needed here: %v\n%s", err, out)
	}
	argv := []string{"strace", "-f", "-qq", "-o", log, "-e", "trace=" + call}
	if inject != "" {
		argv = append(argv, "-e", "inject="+call+":"+inject)
	}
	return argv
}

func TestAskOtherUsers(t *testing.T) {
	needRoot(t)
	bin := forAll(t)
	as := func(id uint32) *syscall.SysProcAttr {
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	}
	holder := startHelper(t, nil) // root's
	s := stampOf(t, holder.pid)
	waiter := startProgram(t, as(1000), bin)
	want(t, waiter.ask(question{Stamp: s}), Alive, "EPERM")

	other := startProgram(t, as(1001), bin)
	other.self() // it has executed: its start and user are settled
	o := stampOf(t, other.pid)
	want(t, waiter.ask(question{Stamp: o}), Alive, "EPERM")
	want(t, Ask(Self(), o), Alive, "it is there")

	again := s
	again.Start++
	want(t, waiter.ask(question{Stamp: again}), Dead, "started again")
	zombify(t, holder.pid)
	want(t, waiter.ask(question{Stamp: s}), Dead, "pidfd")
	holder.reap()
	want(t, waiter.ask(question{Stamp: s}), Dead, "ESRCH")
}

func TestAskPidReuse(t *testing.T) {
	h := startHelper(t, nil)
	s := stampOf(t, h.pid)
	s.Start++
	want(t, Ask(Self(), s), Dead, "started again")

	blind := Self()
	blind.ProcOurs = false
	want(t, Ask(blind, s), Alive, "it is there")

	t.Run("unknown start", func(t *testing.T) {
		s := s
		s.Start = 0
		want(t, Ask(Self(), s), Alive, "it is there")
	})
	t.Run("unknown time namespace", func(t *testing.T) {
		s, id := s, Self()
		s.TimeNS, id.TimeNS = 0, 0
		want(t, Ask(id, s), Alive, "it is there")
	})
	t.Run("another time namespace", func(t *testing.T) {
		s := s
		s.TimeNS++
		want(t, Ask(Self(), s), Alive, "it is there")
	})
	t.Run("as a thread", func(t *testing.T) {
		// kill(2) takes a thread's number for a process that is there.
		h.self() // its runtime is up and has threads
		tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", h.pid))
		if err != nil {
			t.Fatal(err)
		}
		tid := 0
		for _, e := range tids {
			if n, _ := strconv.Atoi(e.Name()); n != h.pid {
				tid = n
			}
		}
		s := stampOf(t, tid)
		want(t, Ask(Self(), s), Alive, "it is there")
		s.Start--
		want(t, Ask(Self(), s), Dead, "started again")
	})
}

func TestAskSelf(t *testing.T) {
	id := Self()
	s := stampOf(t, os.Getpid())
	want(t, Ask(id, s), Alive, "this process")
	blind := id
	blind.ProcOurs = false
	s.Start++
	want(t, Ask(blind, s), Dead, "started again") // about oneself /proc need not be ours
	s.Start = 0
	want(t, Ask(id, s), Alive, "this process")
}

func TestAskForeign(t *testing.T) {
	s := stampOf(t, os.Getpid())
	s.PID = 0x3ffffff0 // above what Linux gives out: certainly not there
	want(t, Ask(Self(), s), Dead, "ESRCH")
	for name, change := range map[string]func(id *Identity, s *Stamp){
		"other boot":        func(_ *Identity, s *Stamp) { s.Boot[0]++ },
		"unknown boot":      func(id *Identity, s *Stamp) { id.Boot, s.Boot = Boot{}, Boot{} },
		"other namespace":   func(_ *Identity, s *Stamp) { s.PIDNS++ },
		"unknown namespace": func(id *Identity, s *Stamp) { id.PIDNS, s.PIDNS = 0, 0 },
	} {
		id, s := Self(), s
		change(&id, &s)
		if ev := Ask(id, s); ev.Answer != Unknown {
			t.Errorf("%s: %v (%s)", name, ev.Answer, ev.How)
		}
	}
}

// Pids that kill(2) takes for groups of processes must not reach it.
func TestAskNonsensePids(t *testing.T) {
	needRoot(t)
	log := filepath.Join(t.TempDir(), "log")
	h := startHelper(t, nil, strace(t, log, "kill", "")...)
	s := stampOf(t, os.Getpid())
	for _, pid := range []int{0, -1, -os.Getpid(), 1 << 31, 1<<32 + os.Getpid(), -1 << 63} {
		s := s
		s.PID = pid
		want(t, h.ask(question{Stamp: s}), Unknown, "not a pid")
	}
	want(t, h.ask(question{Stamp: s}), Alive, "it is there")
	dead := s
	dead.PID = 0x3ffffff0
	for _, group := range []int{1, -1, -os.Getpid(), 1 << 31, -1 << 63} {
		s := dead
		s.Group = group
		want(t, h.ask(question{Stamp: s}), Unknown, "not the number of a group")
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for _, m := range regexp.MustCompile(`kill\((-?\d+), 0\)`).FindAllStringSubmatch(string(text), -1) {
		calls[m[1]]++
	}
	if len(calls) != 2 || calls[strconv.Itoa(os.Getpid())] != 1 || calls["1073741808"] != 5 {
		t.Errorf("calls of kill: %v\n%s", calls, text)
	}
}

func TestAskKillFiltered(t *testing.T) {
	needRoot(t)
	s := stampOf(t, os.Getpid())
	s.PID = 0x3ffffff0
	for _, errno := range []string{"ENOSYS", "EACCES", "EINVAL"} {
		h := startHelper(t, nil, strace(t, "/dev/null", "kill", "error="+errno)...)
		want(t, h.ask(question{Stamp: s}), Unknown, "kill")
	}
}
