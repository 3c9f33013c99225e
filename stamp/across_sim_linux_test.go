package stamp

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// nested is a scene whose owner lives in a container, with its init and another one, and whose asker lives outside.
type nested struct {
	*scene
	inside       *simkernel.Namespace
	first, other *simkernel.Process // of the container
}

func newNested(t *testing.T, out, in simkernel.Spec) nested {
	n := nested{scene: newScene(t)}
	n.inside = n.m.Initial().Child()
	n.first = n.spawnIn(n.inside, in)
	n.other = n.spawnIn(n.inside, in)
	n.asker = n.spawn(out)
	n.owner = n.spawnIn(n.inside, in)
	n.meet()
	return n
}

// within moves the asker into a container, with the owner's container in it.
func (n *nested) within() {
	outer := n.m.Initial().Child()
	n.spawnIn(outer, spec{})
	n.asker = n.spawnIn(outer, spec{})
	n.inside = outer.Child()
	n.first, n.other, n.owner = n.spawnIn(n.inside, spec{}), n.spawnIn(n.inside, spec{}), n.spawnIn(n.inside, spec{})
	n.meet()
}

// join makes the owner's stamp name a group, of which one member lives.
func (n *nested) join() *simkernel.Process {
	leader := n.spawnIn(n.inside, spec{})
	n.stamp.Group = leader.PID()
	return leader
}

func (s *scene) askAcross() Evidence {
	s.t.Helper()
	ev := kernel.AskAcross(s.asker.View(func(call, arg string) error {
		if s.hook == nil {
			return nil
		}
		return s.hook(call, arg)
	}), s.id, s.stamp).(Evidence)
	if n := s.m.Handles(); n != 0 {
		s.t.Errorf("%d left open", n)
	}
	return ev
}

func (n *nested) failFor(p *simkernel.Process, file string, err error) {
	call := "read "
	if strings.HasPrefix(file, "ns/") {
		call = "readlink "
	}
	n.fail(call+strconv.Itoa(p.PIDIn(n.asker.Namespace()))+"/"+file, err)
}

func TestAskAcrossSimulatedKernel(t *testing.T) {
	for _, row := range []struct {
		name    string
		set     func(n *nested)
		answer  Answer
		how     string
		zombies bool
	}{
		{"there", func(n *nested) {}, Alive, "it is pid", false},
		{"stopped", func(n *nested) { n.must(n.owner.Stop()) }, Alive, "it is pid", false},
		{"gone", func(n *nested) { n.end(n.owner) }, Dead, "no process here is pid", false},
		{"zombie", func(n *nested) { n.must(n.owner.Kill()) }, Dead, "no process here is pid", false},
		{"leader left", func(n *nested) {
			n.owner = n.spawnIn(n.inside, spec{Threads: 1})
			n.meet()
			n.must(n.owner.LeaveLeader())
		}, Alive, "it is pid", false},
		{"the whole container is gone", func(n *nested) { n.end(n.first) }, Dead, "no process here is pid", false},
		{"its pid is somebody's here", func(n *nested) {
			n.spawnIn(n.m.Initial(), spec{PID: 7000})
			n.owner = n.spawnIn(n.inside, spec{PID: 7000})
			n.meet()
			n.end(n.owner)
		}, Dead, "no process here is pid 7000", false},
		{"and it lives", func(n *nested) {
			n.spawnIn(n.m.Initial(), spec{PID: 7000})
			n.owner = n.spawnIn(n.inside, spec{PID: 7000})
			n.meet()
		}, Alive, "it is pid", false},
		{"its pid is somebody's in another container", func(n *nested) {
			other := n.m.Initial().Child()
			n.spawnIn(other, spec{})
			n.spawnIn(other, spec{PID: n.owner.PID()})
			n.end(n.owner)
		}, Dead, "no process here is pid", false},
		{"started again", func(n *nested) {
			pid := n.owner.PID()
			n.end(n.owner)
			n.spawnIn(n.inside, spec{PID: pid})
		}, Dead, "started again", false},
		{"started again, start unknown", func(n *nested) {
			pid := n.owner.PID()
			n.end(n.owner)
			n.spawnIn(n.inside, spec{PID: pid})
			n.stamp.Start = 0
		}, Alive, "it is pid", false},
		{"started again, another time namespace", func(n *nested) {
			pid := n.owner.PID()
			n.end(n.owner)
			n.spawnIn(n.inside, spec{PID: pid})
			n.stamp.TimeNS++
		}, Alive, "it is pid", false},

		// The next container has the number of one that is gone.
		{"the namespace's number is used again", func(n *nested) {
			n.end(n.first)
			next := n.m.Initial().Child()
			n.spawnIn(next, spec{})
			n.stamp.PIDNS = next.Ino()
		}, Dead, "no process here is pid", false},
		{"and so is its pid", func(n *nested) {
			pid := n.owner.PID()
			n.end(n.first)
			next := n.m.Initial().Child()
			n.spawnIn(next, spec{})
			n.spawnIn(next, spec{PID: pid})
			n.stamp.PIDNS = next.Ino()
		}, Dead, "started again", false},

		// Who is not around all namespaces must see that it is around this one.
		{"asked from a container around, there", func(n *nested) { n.within() }, Alive, "it is pid", false},
		{"asked from a container around, gone", func(n *nested) { n.within(); n.end(n.owner) }, Dead, "no process here is pid", false},
		{"asked from a container around, all of it is gone", func(n *nested) { n.within(); n.end(n.first) }, Unknown, "no process of its pid namespace", false},
		{"asked by a sibling, there", func(n *nested) {
			ns := n.m.Initial().Child()
			n.spawnIn(ns, spec{})
			n.asker = n.spawnIn(ns, spec{})
			n.meet()
		}, Unknown, "no process of its pid namespace", false},
		{"asked by a sibling, gone", func(n *nested) {
			ns := n.m.Initial().Child()
			n.spawnIn(ns, spec{})
			n.asker = n.spawnIn(ns, spec{})
			n.meet()
			n.end(n.owner)
		}, Unknown, "no process of its pid namespace", false},
		{"asked from within", func(n *nested) { n.owner, n.asker = n.asker, n.owner; n.meet() }, Unknown, "no process of its pid namespace", false},

		// Whose word it is.
		{"another boot", func(n *nested) { n.end(n.owner); n.stamp.Boot[0]++ }, Unknown, "not asked", false},
		{"an unknown boot", func(n *nested) { n.end(n.owner); n.stamp.Boot, n.id.Boot = Boot{}, Boot{} }, Unknown, "not asked", false},
		{"an unknown namespace", func(n *nested) { n.end(n.owner); n.stamp.PIDNS = 0 }, Unknown, "not asked", false},
		{"an unknown namespace of the asker's", func(n *nested) { n.end(n.owner); n.id.PIDNS = 0 }, Unknown, "not asked", false},
		{"the same namespace", func(n *nested) { n.end(n.owner); n.stamp.PIDNS = n.id.PIDNS }, Unknown, "not asked", false},
		{"not a pid", func(n *nested) { n.end(n.owner); n.stamp.PID = 0 }, Unknown, "not a pid", false},
		{"not a group", func(n *nested) { n.end(n.owner); n.stamp.Group = 1 }, Unknown, "not a group", false},

		// What cannot be seen proves nothing.
		{"a /proc that is another's", func(n *nested) { n.end(n.owner); n.asker.MountProc(simkernel.Mount{Of: n.inside}) }, Unknown, "cannot be looked into", false},
		{"no /proc", func(n *nested) { n.end(n.owner); n.asker.MountProc(simkernel.Mount{}) }, Unknown, "cannot be looked into", false},
		{"a /proc that hides", func(n *nested) {
			n.end(n.owner)
			n.asker.MountProc(simkernel.Mount{Of: n.m.Initial(), Hide: simkernel.Invisible})
		}, Unknown, "hidepid", false},
		{"no listing", func(n *nested) { n.end(n.owner); n.fail("list", syscall.EIO) }, Unknown, "cannot be looked into", false},
		{"no mountinfo", func(n *nested) { n.end(n.owner); n.fail("read self/mountinfo", syscall.EIO) }, Unknown, "cannot be looked into", false},
		{"the status of one cannot be read", func(n *nested) { n.end(n.owner); n.failFor(n.other, "status", syscall.EACCES) }, Unknown, "cannot be looked into", false},
		{"one goes while it is looked at", func(n *nested) { n.end(n.owner); n.failFor(n.other, "status", syscall.ESRCH) }, Dead, "no process here is pid", false},
		{"the stat of who may be it cannot be read", func(n *nested) { n.failFor(n.owner, "stat", syscall.EACCES) }, Unknown, "cannot be looked into", false},
		{"the namespace of who may be it cannot be read", func(n *nested) { n.failFor(n.owner, "ns/pid", syscall.EACCES) }, Unknown, "cannot be looked into", false},
		{"the namespace of another cannot be read", func(n *nested) { n.end(n.owner); n.failFor(n.other, "ns/pid", syscall.EACCES) }, Dead, "no process here is pid", false},
		{"never seen whole", func(n *nested) { n.owner.Tear(0, 1000) }, Unknown, "never seen whole", false},
		{"torn", func(n *nested) { n.owner.Tear(0, 1) }, Alive, "it is pid", false},
		{"missed by one look", func(n *nested) {
			once := true
			n.hook = func(call, arg string) error {
				if pid := strconv.Itoa(n.owner.PIDIn(n.m.Initial())); once && call == "read" && arg == pid+"/status" {
					once = false
					return syscall.ESRCH
				}
				return nil
			}
		}, Alive, "it is pid", false},

		// A process group under its lock.
		{"its group lives", func(n *nested) { n.join(); n.end(n.owner) }, Alive, "of its process group", false},
		{"its group is gone", func(n *nested) { n.end(n.join()); n.end(n.owner) }, Unknown, "nor of its process group", true},
		{"its group is a zombie", func(n *nested) { n.must(n.join().Kill()); n.end(n.owner) }, Unknown, "nor of its process group", true},
		{"it lives, and its group is gone", func(n *nested) { n.end(n.join()) }, Alive, "it is pid", false},
		{"the group of that number in another container", func(n *nested) {
			n.end(n.join())
			n.end(n.owner)
			other := n.m.Initial().Child()
			n.spawnIn(other, spec{})
			n.spawnIn(other, spec{PID: n.stamp.Group})
		}, Unknown, "nor of its process group", true},
		{"a member whose namespace cannot be read", func(n *nested) {
			n.failFor(n.join(), "ns/pid", syscall.EACCES)
			n.end(n.owner)
		}, Unknown, "cannot be looked into", false},
		{"a member in a container within", func(n *nested) {
			leader := n.join()
			n.spawnIn(n.inside.Child(), spec{Group: leader})
			n.end(leader)
			n.end(n.owner)
		}, Alive, "of its process group", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := newNested(t, spec{}, spec{})
			row.set(&n)
			ev := n.askAcross()
			want(t, ev, row.answer, row.how)
			if ev.Zombies != row.zombies {
				t.Errorf("zombies %v", ev.Zombies)
			}
		})
	}
}

// To another user all processes are there, but not which namespace they are in.
func TestAskAcrossAsAnotherUser(t *testing.T) {
	n := newNested(t, spec{UID: 1}, spec{})
	want(t, n.askAcross(), Unknown, "cannot be looked into")
	n.end(n.owner)
	want(t, n.askAcross(), Dead, "no process here is pid") // nobody else is called so
	n.spawnIn(n.m.Initial().Child(), spec{})
	n.stamp.PID = 1 // as others are
	want(t, n.askAcross(), Unknown, "cannot be looked into")
}

func TestParseNumbers(t *testing.T) {
	for text, want := range map[string]int{"NSpgid:\t12\t0\n": 2, "NSpgid:\n": 0, "NSpid:\t1\n": 0, "NSpgid:\t12\tx\n": 0, "NSpgid:\t-1\n": 0, "": 0, "Name:\ta\nNSpgid:\t1\t2\t3\nx": 3} {
		if got := parseNumbers([]byte(text), "NSpgid:"); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
