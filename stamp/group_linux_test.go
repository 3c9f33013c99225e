package stamp

import (
	"fmt"
	"syscall"
	"testing"
)

// deadOwner is the stamp of a process that is gone, over the group that leader
// leads.
func deadOwner(t *testing.T, leader *helper) Stamp {
	t.Helper()
	owner := startHelper(t, nil)
	s := stampOf(t, owner.pid)
	s.Group, s.GroupStart = leader.pid, stampOf(t, leader.pid).Start
	want(t, Ask(Self(), s), Alive, "it is there") // the owner itself comes first
	zombify(t, owner.pid)
	owner.reap()
	return s
}

// group starts a leader of a new process group and another member, both of them
// our children, so that it is for us to reap them.
func group(t *testing.T) (leader, member *helper) {
	leader = startHelper(t, &syscall.SysProcAttr{Setpgid: true})
	member = startHelper(t, &syscall.SysProcAttr{Setpgid: true, Pgid: leader.pid})
	return leader, member
}

func TestAskGroup(t *testing.T) {
	leader, member := group(t)
	s := deadOwner(t, leader)
	id, blind := Self(), Self()
	blind.ProcOurs = false
	check := func(a Answer, how string, zombies bool) {
		t.Helper()
		ev := Ask(id, s)
		want(t, ev, a, how)
		if ev.Zombies != zombies {
			t.Errorf("zombies %v (%s)", ev.Zombies, ev.How)
		}
	}
	s0 := s
	s0.Group = 0
	want(t, Ask(id, s0), Dead, "ESRCH")

	check(Alive, "lives", false)
	zombify(t, leader.pid)
	check(Alive, "lives", false)
	leader.reap()
	check(Alive, "lives", false)
	want(t, Ask(blind, s), Alive, "cannot be counted")

	zombify(t, member.pid)
	check(Alive, "only zombies seen (1)", true)
	check(Alive, "only zombies seen (1)", true)
	if ev := Ask(blind, s); ev.Answer != Alive || ev.Zombies {
		t.Errorf("without /proc: %+v", ev)
	}
	member.reap()
	check(Dead, "ESRCH; group", false)
	want(t, Ask(blind, s), Dead, "ESRCH; group")
}

func TestAskGroupNumberReused(t *testing.T) {
	leader, _ := group(t)
	s := deadOwner(t, leader)
	s.GroupStart++ // as if the one in the stamp had been an earlier process
	want(t, Ask(Self(), s), Dead, "started again")

	blind := Self()
	blind.ProcOurs = false
	want(t, Ask(blind, s), Alive, "cannot be counted")
	unknown := s
	unknown.GroupStart = 0
	want(t, Ask(Self(), unknown), Alive, "lives")
	other := s
	other.TimeNS++
	want(t, Ask(Self(), other), Alive, "lives")

	// A member under the leader's number proves nothing about the leader.
	s.GroupStart--
	want(t, Ask(Self(), s), Alive, "lives")
}

// The group is asked about only when its owner is gone: dirlock may be between
// two commands.
func TestAskGroupOfLivingOwner(t *testing.T) {
	s := stampOf(t, startHelper(t, nil).pid)
	s.Group, s.GroupStart = 0x3ffffff0, 1
	want(t, Ask(Self(), s), Alive, "it is there")
	s.PID = 0x3fffffe0
	want(t, Ask(Self(), s), Dead, "ESRCH; group 1073741808: kill: ESRCH")
}

// A member that has dropped its user is a member, also for a waiter of a third.
func TestAskGroupOtherUsers(t *testing.T) {
	needRoot(t)
	bin := forAll(t)
	user := func(id uint32) *syscall.Credential { return &syscall.Credential{Uid: id, Gid: id} }
	leader := startHelper(t, &syscall.SysProcAttr{Setpgid: true})
	member := startProgram(t, &syscall.SysProcAttr{Setpgid: true, Pgid: leader.pid, Credential: user(1001)}, bin)
	waiter := startProgram(t, &syscall.SysProcAttr{Credential: user(1000)}, bin)
	s := deadOwner(t, leader)
	zombify(t, leader.pid)
	leader.reap()
	want(t, waiter.ask(question{Stamp: s}), Alive, "lives")
	zombify(t, member.pid)
	if ev := waiter.ask(question{Stamp: s}); ev.Answer != Alive || !ev.Zombies {
		t.Errorf("%+v", ev)
	}
	member.reap()
	want(t, waiter.ask(question{Stamp: s}), Dead, "ESRCH; group")
}

// A /proc that may hide members shows no group without living ones.
func TestAskGroupHidepid(t *testing.T) {
	needRoot(t)
	leader, member := group(t)
	s := deadOwner(t, leader)
	zombify(t, leader.pid)
	zombify(t, member.pid)
	for opt, zombies := range map[string]bool{
		"hidepid=0": true, "hidepid=off": true, "gid=0": true,
		"hidepid=1": false, "hidepid=2": false, "hidepid=invisible": false, "hidepid=ptraceable": false,
	} {
		h := startHelper(t, nil, "unshare", "-m", "sh", "-c", `mount -t proc -o `+opt+` proc /proc && exec "$0"`)
		if ev := h.ask(question{Stamp: s}); ev.Answer != Alive || ev.Zombies != zombies {
			t.Errorf("%s: %+v", opt, ev)
		}
	}
}

// What cannot be read may be a living member.
func TestAskGroupReadError(t *testing.T) {
	needRoot(t)
	leader, member := group(t)
	s := deadOwner(t, leader)
	zombify(t, leader.pid)
	zombify(t, member.pid)
	other := startHelper(t, nil) // nothing to do with the group
	argv := strace(t, "/dev/null", "read", "error=EIO")
	h := startHelper(t, nil, append(argv, "-P", fmt.Sprintf("/proc/%d/stat", other.pid))...)
	want(t, h.ask(question{Stamp: s}), Alive, "cannot be counted: read ")
}

// A zombie leader with live threads is a living member.
func TestAskGroupZombieLeaderWithThreads(t *testing.T) {
	bin := compile(t, leaderLeaves)
	leader := startProgram(t, &syscall.SysProcAttr{Setpgid: true}, bin)
	waitFor(t, "zombie leader", func() bool { return stateOf(t, leader.pid) == "Z" })
	s := deadOwner(t, leader)
	want(t, Ask(Self(), s), Alive, "lives")
	zombify(t, leader.pid)
	if ev := Ask(Self(), s); ev.Answer != Alive || !ev.Zombies {
		t.Errorf("%+v", ev)
	}
}

// A member that calls execve from another thread than its first shows a stat
// without a group for a moment, and is a member all the same.
func TestAskGroupExecByThread(t *testing.T) {
	bin := compile(t, threadExecs)
	leader := startHelper(t, &syscall.SysProcAttr{Setpgid: true})
	member := startProgram(t, &syscall.SysProcAttr{Setpgid: true, Pgid: leader.pid}, bin)
	s := deadOwner(t, leader)
	zombify(t, leader.pid)
	id := Self()
	for range 200 {
		if ev := Ask(id, s); ev.Answer != Alive || ev.Zombies {
			t.Fatalf("%+v", ev)
		}
	}
	p, err := here.ourProc(id)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 40000 {
		if st, err := p.stat(member.pid); err != nil || st.group != leader.pid {
			t.Fatalf("%+v, %v", st, err)
		}
	}
}
