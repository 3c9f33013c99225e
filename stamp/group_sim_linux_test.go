package stamp

import (
	"strconv"
	"syscall"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// grouped is a scene whose owner is gone. Its stamp names a group of two.
type grouped struct {
	*scene
	leader, member *simkernel.Process
}

// withGroup makes it, with members of this kind.
func withGroup(s *scene, kind simkernel.Spec) grouped {
	s.t.Helper()
	g := grouped{scene: s, leader: s.spawn(kind)}
	kind.Group = g.leader
	g.member = s.spawn(kind)
	s.stamp.Group, s.stamp.GroupStart = g.leader.PID(), stampBy(g.leader).Start
	s.m.Advance(100)
	s.end(s.owner)
	return g
}

// zombies ends both, unreaped.
func (g grouped) zombies() {
	g.t.Helper()
	g.must(g.leader.Kill())
	g.must(g.member.Kill())
}

func TestAskSimulatedGroup(t *testing.T) {
	for _, row := range []struct {
		name    string
		set     func(g grouped)
		answer  Answer
		how     string
		zombies bool
	}{
		{"both live", func(g grouped) {}, Alive, "lives", false},
		{"the leader is a zombie", func(g grouped) { g.must(g.leader.Kill()) }, Alive, "lives", false},
		{"the leader is gone", func(g grouped) { g.end(g.leader) }, Alive, "lives", false},
		{"the member is gone", func(g grouped) { g.end(g.member) }, Alive, "lives", false},
		{"one is gone, the other stopped", func(g grouped) {
			g.end(g.leader)
			g.must(g.member.Stop())
		}, Alive, "lives", false},
		{"only zombies", func(g grouped) { g.zombies() }, Alive, "only zombies seen (2)", true},
		{"one zombie", func(g grouped) { g.zombies(); g.must(g.leader.Reap()) }, Alive, "only zombies seen (1)", true},
		{"gone", func(g grouped) { g.end(g.leader); g.end(g.member) }, Dead, "ESRCH; group", false},
		{"left by all", func(g grouped) {
			g.must(g.leader.SetGroup(g.asker))
			g.must(g.member.SetGroup(g.member))
		}, Dead, "ESRCH; group", false},

		{"one zombie is a leader that left", func(g grouped) {
			p := g.spawn(spec{Group: g.leader, Threads: 1})
			g.must(p.LeaveLeader())
			g.zombies()
		}, Alive, "lives", false},
		{"one zombie is torn", func(g grouped) {
			g.must(g.leader.Kill())
			g.member.Tear(0, 3)
		}, Alive, "lives", false},
		{"one is never seen whole", func(g grouped) {
			g.must(g.leader.Kill())
			g.member.Tear(0, 1000)
		}, Alive, "cannot be counted", false},

		{"renumbered", func(g grouped) {
			g.end(g.member)
			g.again(g.leader, spec{})
		}, Dead, "started again", false},
		{"renumbered, start unknown", func(g grouped) {
			g.stamp.GroupStart = 0
			g.end(g.member)
			g.again(g.leader, spec{})
		}, Alive, "lives", false},
		{"renumbered, in another time namespace", func(g grouped) {
			g.stamp.TimeNS++
			g.end(g.member)
			g.again(g.leader, spec{})
		}, Alive, "lives", false},
		{"renumbered, to a zombie", func(g grouped) {
			g.end(g.member)
			g.must(g.again(g.leader, spec{}).Kill())
		}, Dead, "started again", false},
		{"renumbered, to a member of another group", func(g grouped) {
			g.end(g.member)
			g.again(g.leader, spec{Group: g.asker})
		}, Dead, "ESRCH; group", false},

		{"zombies, no /proc", func(g grouped) {
			g.zombies()
			g.asker.MountProc(simkernel.Mount{})
		}, Alive, "cannot be counted", false},
		{"gone, no /proc", func(g grouped) {
			g.end(g.leader)
			g.end(g.member)
			g.asker.MountProc(simkernel.Mount{})
		}, Dead, "ESRCH; group", false},
		{"zombies, a /proc that may hide", func(g grouped) {
			g.zombies()
			g.asker.MountProc(simkernel.Mount{Of: g.m.Initial(), Hide: simkernel.Invisible})
		}, Alive, "hidepid=invisible", false},
		{"zombies, one stat cannot be read", func(g grouped) {
			g.zombies()
			g.fail("read "+strconv.Itoa(g.asker.PID())+"/stat", syscall.EIO)
		}, Alive, "cannot be counted", false},
		{"zombies, no listing", func(g grouped) { g.zombies(); g.fail("list", syscall.EIO) }, Alive, "cannot be counted", false},
		{"zombies, one goes while it is read", func(g grouped) {
			g.zombies()
			g.fail("read "+strconv.Itoa(g.member.PID())+"/stat", syscall.ESRCH)
		}, Alive, "only zombies seen (1)", true},
		{"the last goes while they are counted", func(g grouped) {
			g.zombies()
			g.must(g.leader.Reap())
			g.hook = func(call, arg string) error {
				if call == "list" {
					g.must(g.member.Reap())
				}
				return nil
			}
		}, Alive, "no member was seen", false},
		{"kill says EINVAL", func(g grouped) {
			g.end(g.leader)
			g.end(g.member)
			g.fail("kill -"+strconv.Itoa(g.stamp.Group), syscall.EINVAL)
		}, Unknown, "kill", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := withGroup(newScene(t), spec{})
			row.set(g)
			ev := g.ask()
			want(t, ev, row.answer, row.how)
			if ev.Zombies != row.zombies {
				t.Errorf("zombies %v (%s)", ev.Zombies, ev.How)
			}
		})
	}
}

// A group of another user's is asked about as any other.
func TestAskSimulatedGroupOfAnotherUser(t *testing.T) {
	s := newScene(t)
	s.as(s.m.Initial(), spec{UID: 1}, spec{UID: 2})
	g := withGroup(s, spec{UID: 1})
	want(t, g.ask(), Alive, "lives")
	g.asker.MountProc(simkernel.Mount{})
	want(t, g.ask(), Alive, "EPERM")
	g.asker.MountProc(simkernel.Mount{Of: g.m.Initial()})
	g.zombies()
	if ev := g.ask(); ev.Answer != Alive || !ev.Zombies {
		t.Errorf("%+v", ev)
	}
	g.must(g.leader.Reap())
	g.must(g.member.Reap())
	want(t, g.ask(), Dead, "ESRCH; group")
}

// Numbers that kill(2) takes for something else than what they say must not reach it.
func TestAskSimulatedNonsense(t *testing.T) {
	s := newScene(t)
	s.end(s.owner)
	dead := s.stamp
	for _, pid := range []int{0, -1, -s.asker.PID(), 1 << 31, 1<<32 + s.asker.PID(), -1 << 63} {
		s.stamp = dead
		s.stamp.PID = pid
		want(t, s.ask(), Unknown, "not a pid")
	}
	for _, group := range []int{1, -1, -s.asker.PID(), 1 << 31, 1<<32 + s.asker.PID(), -1 << 63} {
		s.stamp = dead
		s.stamp.Group = group
		want(t, s.ask(), Unknown, "not the number of a group")
	}
	if len(s.calls) != 6 { // one for each group's owner
		t.Errorf("%q", s.calls)
	}
}
