package stamp

import (
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// scene is a simulated machine with an owner and an asker, two plain processes of root's. What a row of a table does to it
// is what is different there.
type scene struct {
	t            *testing.T
	m            *simkernel.Machine
	owner, asker *simkernel.Process

	id    Identity                     // the asker's
	stamp Stamp                        // the owner's
	hook  func(call, arg string) error // before each call of the asker's
	calls []string                     // of the asker's, while it asks
}

func newScene(t *testing.T) *scene {
	s := &scene{t: t, m: simkernel.New([16]byte{1}, "db1")}
	s.owner, s.asker = s.spawn(simkernel.Spec{}), s.spawn(simkernel.Spec{})
	s.meet()
	return s
}

// meet lets the owner make its stamp, and the asker learn who it is.
func (s *scene) meet() {
	s.stamp, s.id = stampBy(s.owner), identityOf(s.asker)
	s.m.Advance(100)
}

// as replaces both processes.
func (s *scene) as(ns *simkernel.Namespace, owner, asker simkernel.Spec) {
	s.owner, s.asker = s.spawnIn(ns, owner), s.spawnIn(ns, asker)
	s.meet()
}

func (s *scene) spawn(spec simkernel.Spec) *simkernel.Process { return s.spawnIn(s.m.Initial(), spec) }

func (s *scene) spawnIn(ns *simkernel.Namespace, spec simkernel.Spec) *simkernel.Process {
	s.t.Helper()
	p, err := ns.Spawn(spec)
	s.must(err)
	return p
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// end kills a process and lets its parent know.
func (s *scene) end(p *simkernel.Process) {
	s.t.Helper()
	s.must(p.Kill())
	s.must(p.Reap())
}

// again lets another process have the number of one that is gone.
func (s *scene) again(p *simkernel.Process, spec simkernel.Spec) *simkernel.Process {
	s.t.Helper()
	spec.PID = p.PID()
	s.end(p)
	return s.spawn(spec)
}

// fail makes one kind of call of the asker's fail.
func (s *scene) fail(which string, err error) {
	before := s.hook
	s.hook = func(call, arg string) error {
		if before != nil {
			if err := before(call, arg); err != nil {
				return err
			}
		}
		if call == which || call+" "+arg == which {
			return err
		}
		return nil
	}
}

// ask asks as the asker, and sees that nothing is left open.
func (s *scene) ask() Evidence {
	s.t.Helper()
	sys := s.asker.View(func(call, arg string) error {
		s.calls = append(s.calls, call+" "+arg)
		if s.hook == nil {
			return nil
		}
		return s.hook(call, arg)
	})
	ev := kernel.Ask(sys, s.id, s.stamp).(Evidence)
	if n := s.m.Handles(); n != 0 {
		s.t.Errorf("%d left open", n)
	}
	return ev
}

func identityOf(p *simkernel.Process) Identity {
	id := kernel.Identify(p.View(nil), p.PID()).(Identity)
	id.Host = p.Identity().Host
	return id
}

func stampBy(p *simkernel.Process) Stamp {
	id := identityOf(p)
	return Stamp{Version: Version, PID: id.PID, Start: id.Start, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS}
}
