package stamp

import (
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

type spec = simkernel.Spec

func TestAskSimulatedKernel(t *testing.T) {
	for _, row := range []struct {
		name   string
		set    func(s *scene)
		answer Answer
		how    string
	}{
		{"alive", func(s *scene) {}, Alive, "it is there"},
		{"stopped", func(s *scene) { s.must(s.owner.Stop()) }, Alive, "it is there"},
		{"another user's", func(s *scene) { s.as(s.m.Initial(), spec{UID: 1}, spec{UID: 2}) }, Alive, "EPERM"},
		{"another user's, gone", func(s *scene) {
			s.as(s.m.Initial(), spec{UID: 1}, spec{UID: 2})
			s.end(s.owner)
		}, Dead, "ESRCH"},
		{"gone", func(s *scene) { s.end(s.owner) }, Dead, "ESRCH"},
		{"the asker itself", func(s *scene) { s.stamp = stampBy(s.asker) }, Alive, "this process"},
		{"the asker's own number, started again", func(s *scene) {
			s.stamp = stampBy(s.asker)
			s.stamp.Start--
		}, Dead, "started again"},

		{"kill says EINVAL", func(s *scene) { s.fail("kill", syscall.EINVAL) }, Unknown, "kill"},
		{"gone, kill says EINVAL", func(s *scene) { s.fail("kill", syscall.EINVAL); s.end(s.owner) }, Unknown, "kill"},
		{"gone, kill says ENOSYS", func(s *scene) { s.fail("kill", syscall.ENOSYS); s.end(s.owner) }, Unknown, "kill"},
		{"gone, kill says EACCES", func(s *scene) { s.fail("kill", syscall.EACCES); s.end(s.owner) }, Unknown, "kill"},

		{"zombie", func(s *scene) { s.must(s.owner.Kill()) }, Dead, "pidfd"},
		{"zombie of another user's", func(s *scene) {
			s.as(s.m.Initial(), spec{UID: 1}, spec{UID: 2})
			s.must(s.owner.Kill())
		}, Dead, "pidfd"},
		{"zombie, no pidfd", func(s *scene) { s.fail("pidfd_open", syscall.ENOSYS); s.must(s.owner.Kill()) }, Dead, "zombie"},
		{"zombie, no poll", func(s *scene) { s.fail("poll", syscall.ENOMEM); s.must(s.owner.Kill()) }, Dead, "zombie"},
		{"zombie, no /proc", func(s *scene) {
			s.asker.MountProc(simkernel.Mount{})
			s.must(s.owner.Kill())
		}, Dead, "pidfd"},
		{"zombie, neither pidfd nor /proc", func(s *scene) {
			s.asker.MountProc(simkernel.Mount{})
			s.fail("pidfd_open", syscall.ENOSYS)
			s.must(s.owner.Kill())
		}, Alive, "it is there"},

		{"leader left", leaderLeft, Alive, "it is there"},
		{"leader left, no pidfd", func(s *scene) { leaderLeft(s); s.fail("pidfd_open", syscall.ENOSYS) }, Alive, "it is there"},
		{"leader left, then all ended", func(s *scene) { leaderLeft(s); s.must(s.owner.Kill()) }, Dead, "pidfd"},
		{"leader left, then all ended, no pidfd", func(s *scene) {
			leaderLeft(s)
			s.fail("pidfd_open", syscall.ENOSYS)
			s.must(s.owner.Kill())
		}, Dead, "zombie"},
		{"the only thread left", func(s *scene) { s.must(s.owner.LeaveLeader()) }, Dead, "pidfd"},

		// Another thread than the first calls execve.
		{"one poll lies", func(s *scene) { s.owner.Tear(1, 0) }, Alive, "it is there"},
		{"torn", func(s *scene) { s.owner.Tear(0, 1) }, Alive, "it is there"},
		{"torn and a poll lies", func(s *scene) { s.owner.Tear(1, 9) }, Alive, "it is there"},
		{"never seen whole", func(s *scene) { s.owner.Tear(0, 1000) }, Alive, "it is there"},
		{"torn, and is another process", func(s *scene) { s.again(s.owner, spec{}).Tear(1, 3) }, Dead, "started again"},

		{"started again", func(s *scene) { s.again(s.owner, spec{}) }, Dead, "started again"},
		{"started again as another user's", func(s *scene) { s.again(s.owner, spec{UID: 9}) }, Dead, "started again"},
		{"started again, asked by another user", func(s *scene) {
			s.as(s.m.Initial(), spec{}, spec{UID: 1})
			s.again(s.owner, spec{})
		}, Dead, "started again"},
		{"started again as a thread of another process", func(s *scene) {
			pid := s.owner.PID()
			s.end(s.owner)
			s.m.Initial().SetMax(pid) // the next after it is the lowest that is free
			s.spawnIn(s.m.Initial(), spec{PID: pid + 100, Threads: 1})
		}, Dead, "started again"},
		{"started again, start unknown", func(s *scene) { s.stamp.Start = 0; s.again(s.owner, spec{}) }, Alive, "it is there"},
		{"started again, no /proc", func(s *scene) {
			s.again(s.owner, spec{})
			s.asker.MountProc(simkernel.Mount{})
		}, Alive, "it is there"},
		{"started again, hidden", func(s *scene) {
			s.as(s.m.Initial(), spec{}, spec{UID: 1, Mount: &simkernel.Mount{Of: s.m.Initial(), Hide: simkernel.Invisible}})
			s.again(s.owner, spec{})
		}, Alive, "EPERM"},
		{"hidden, but its number is shown", func(s *scene) {
			s.as(s.m.Initial(), spec{}, spec{UID: 1, Mount: &simkernel.Mount{Of: s.m.Initial(), Hide: simkernel.NoAccess}})
		}, Alive, "EPERM"},
		{"reading fails", func(s *scene) { s.fail("read", syscall.EIO); s.again(s.owner, spec{}) }, Alive, "it is there"},
		{"it goes while its stat is read", func(s *scene) {
			s.fail("read "+strconv.Itoa(s.owner.PID())+"/stat", syscall.ESRCH)
		}, Alive, "it is there"},

		{"in a time namespace", func(s *scene) { s.as(s.m.Initial(), spec{Time: s.m.NewTime(5000)}, spec{}) }, Alive, "it is there"},
		{"asked from a time namespace", func(s *scene) {
			s.as(s.m.Initial(), spec{}, spec{Time: s.m.NewTime(5000)})
		}, Alive, "it is there"},
		{"started again, asked from a time namespace", func(s *scene) {
			s.as(s.m.Initial(), spec{}, spec{Time: s.m.NewTime(5000)})
			s.again(s.owner, spec{})
		}, Alive, "it is there"},
		{"both in one time namespace", func(s *scene) {
			ns := s.m.NewTime(5000)
			s.as(s.m.Initial(), spec{Time: ns}, spec{Time: ns})
		}, Alive, "it is there"},
		{"both in one time namespace, started again", func(s *scene) {
			ns := s.m.NewTime(5000)
			s.as(s.m.Initial(), spec{Time: ns}, spec{Time: ns})
			s.again(s.owner, spec{})
		}, Dead, "started again"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t)
			row.set(s)
			want(t, s.ask(), row.answer, row.how)
		})
	}
}

func leaderLeft(s *scene) {
	s.as(s.m.Initial(), spec{Threads: 2}, spec{})
	s.must(s.owner.LeaveLeader())
}

// What a question costs: each call once, and no more of them once there is an answer.
func TestAskSimulatedCalls(t *testing.T) {
	s := newScene(t)
	pid := strconv.Itoa(s.owner.PID())
	check := func(calls ...string) {
		t.Helper()
		s.calls = nil
		s.ask()
		if !slices.Equal(s.calls, calls) {
			t.Errorf("got %q, want %q", s.calls, calls)
		}
	}
	check("kill "+pid, "pidfd_open "+pid, "poll "+pid, "proc /proc", "read self/status", "read "+pid+"/stat")
	s.must(s.owner.Kill())
	check("kill "+pid, "pidfd_open "+pid, "poll "+pid, "poll "+pid)
	s.must(s.owner.Reap())
	check("kill " + pid)
	s.stamp.PIDNS++
	check()
}
