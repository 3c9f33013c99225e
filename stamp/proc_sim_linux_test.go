package stamp

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

// inner is a scene within a pid namespace whose processes see what is given at /proc, nil for its own. The owner's number
// out there is that of a process that has started at another time.
func inner(s *scene, mount func(ns *simkernel.Namespace) simkernel.Mount) *simkernel.Process {
	for range 10 {
		s.spawn(spec{})
	}
	s.m.Advance(10)
	ns := s.m.Initial().Child()
	m := mount(ns)
	s.spawnIn(ns, spec{Mount: &m})
	s.as(ns, spec{Mount: &m}, spec{Mount: &m})
	for _, p := range s.m.Processes() {
		if p.PID() == s.owner.PID() && p != s.owner {
			return p
		}
	}
	s.t.Fatal("nobody has the owner's number out there")
	return nil
}

func TestAskSimulatedNamespaces(t *testing.T) {
	outer := func(s *scene) func(*simkernel.Namespace) simkernel.Mount {
		return func(*simkernel.Namespace) simkernel.Mount { return simkernel.Mount{Of: s.m.Initial()} }
	}
	own := func(ns *simkernel.Namespace) simkernel.Mount { return simkernel.Mount{Of: ns} }
	for _, row := range []struct {
		name   string
		set    func(s *scene)
		answer Answer
		how    string
	}{
		{"the namespace's own /proc", func(s *scene) { inner(s, own) }, Alive, "it is there"},
		{"the namespace's own /proc, started again", func(s *scene) {
			inner(s, own)
			s.stamp.Start--
		}, Dead, "started again"},
		{"the outer /proc", func(s *scene) { inner(s, outer(s)) }, Alive, "it is there"},
		{"the outer /proc, where it is a zombie", func(s *scene) {
			p := inner(s, outer(s))
			s.fail("pidfd_open", syscall.ENOSYS)
			s.must(p.Kill())
		}, Alive, "it is there"},
		{"the outer /proc, gone", func(s *scene) { inner(s, outer(s)); s.end(s.owner) }, Dead, "ESRCH"},
		{"the outer /proc, zombie", func(s *scene) { inner(s, outer(s)); s.must(s.owner.Kill()) }, Dead, "pidfd"},
		{"the outer /proc came later", func(s *scene) {
			inner(s, own)
			s.asker.MountProc(simkernel.Mount{Of: s.m.Initial()})
		}, Alive, "it is there"},
		{"the outer /proc comes once ours was opened", func(s *scene) {
			inner(s, own)
			s.hook = func(call, arg string) error {
				if call == "read" {
					s.asker.MountProc(simkernel.Mount{Of: s.m.Initial()})
				}
				return nil
			}
		}, Alive, "it is there"},
		{"ours comes once the outer /proc was opened", func(s *scene) {
			inner(s, own)
			s.asker.MountProc(simkernel.Mount{Of: s.m.Initial()})
			opened := false
			s.hook = func(call, arg string) error {
				if opened {
					s.asker.MountProc(simkernel.Mount{Of: s.asker.Namespace()})
				}
				opened = opened || call == "proc"
				return nil
			}
		}, Alive, "it is there"},
		{"our own /proc came later", func(s *scene) {
			inner(s, outer(s))
			s.stamp.Start--
			s.asker.MountProc(simkernel.Mount{Of: s.asker.Namespace()})
		}, Alive, "it is there"},
		{"a sibling's /proc", func(s *scene) {
			inner(s, own)
			sibling := s.m.Initial().Child()
			for range 4 {
				s.spawnIn(sibling, spec{})
			}
			s.asker.MountProc(simkernel.Mount{Of: sibling})
		}, Alive, "it is there"},

		{"an owner in another namespace", func(s *scene) {
			asker, id := s.asker, s.id
			inner(s, own)
			s.asker, s.id = asker, id
		}, Unknown, "not asked"},
		{"asked from another namespace", func(s *scene) {
			stamp := s.stamp
			inner(s, own)
			s.stamp = stamp
		}, Unknown, "not asked"},
		{"the first of an earlier container", func(s *scene) {
			s.as(s.m.Initial().Child(), spec{}, spec{})
			s.asker = s.spawnIn(s.m.Initial().Child(), spec{})
			s.id = identityOf(s.asker)
			s.end(s.owner)
		}, Unknown, "not asked"},
		{"an owner in an inner namespace", func(s *scene) {
			inner(s, own)
			s.asker = s.m.Processes()[0]
			s.id = identityOf(s.asker)
		}, Unknown, "not asked"},
		{"no /proc from the start", func(s *scene) {
			s.as(s.m.Initial(), spec{}, spec{Mount: &simkernel.Mount{}})
			s.end(s.owner)
		}, Unknown, "not asked"},
		{"the owner had no /proc", func(s *scene) {
			s.as(s.m.Initial(), spec{Mount: &simkernel.Mount{}}, spec{})
			s.end(s.owner)
		}, Unknown, "not asked"},
		{"before a reboot", func(s *scene) {
			stamp := s.stamp
			s.m = simkernel.New([16]byte{2}, "db1")
			s.as(s.m.Initial(), spec{}, spec{})
			s.stamp = stamp
			s.end(s.owner)
		}, Unknown, "not asked"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene(t)
			row.set(s)
			want(t, s.ask(), row.answer, row.how)
		})
	}
}

// What the simulated kernel says that a process can know of itself is what Self reads.
func TestIdentifySimulated(t *testing.T) {
	s := newScene(t)
	shim := s.spawn(spec{Time: s.m.NewTime(77)})
	ns, sibling := s.m.Initial().Child(), s.m.Initial().Child()
	s.spawnIn(sibling, spec{})
	procs := map[string]*simkernel.Process{
		"plain":                s.owner,
		"in a time namespace":  shim,
		"with the outer /proc": s.spawnIn(ns, spec{Parent: shim}),
		"with its own /proc":   s.spawnIn(ns, spec{}),
		"with a sibling's":     s.spawnIn(ns, spec{Mount: &simkernel.Mount{Of: sibling}}),
		"with none":            s.spawnIn(ns, spec{Mount: &simkernel.Mount{}}),
		"with one hiding all":  s.spawn(spec{UID: 5, Mount: &simkernel.Mount{Of: s.m.Initial(), Hide: simkernel.Ptraceable}}),
		"init":                 s.m.Processes()[0],
	}
	ours := 0
	for name, p := range procs {
		w := p.Identity()
		want := Identity{w.PID, w.Start, w.Boot, w.PIDNS, w.TimeNS, w.Host, w.ProcOurs}
		if got := identityOf(p); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if w.ProcOurs {
			ours++
		}
	}
	if ours != 5 {
		t.Errorf("%d have their own /proc", ours)
	}
	s.fail("readlink self/ns/time", syscall.ENOENT)
	if id := kernel.Identify(s.asker.View(s.hook), s.asker.PID()).(Identity); id.TimeNS != noTimeNS {
		t.Errorf("on a kernel without time namespaces: %+v", id)
	}
}

func TestStartOfSimulated(t *testing.T) {
	s := newScene(t)
	view := func() kernel.System { return s.asker.View(s.hook) }
	if start, err := kernel.StartOf(view(), s.id, s.owner.PID()); err != nil || start != s.stamp.Start {
		t.Errorf("%d, %v, want %d", start, err, s.stamp.Start)
	}
	s.must(s.owner.Kill())
	if start, err := kernel.StartOf(view(), s.id, s.owner.PID()); err != nil || start != s.stamp.Start {
		t.Errorf("of a zombie: %d, %v, want %d", start, err, s.stamp.Start)
	}
	s.must(s.owner.Reap())
	if _, err := kernel.StartOf(view(), s.id, s.owner.PID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of one that is gone: %v", err)
	}
	if _, err := kernel.StartOf(view(), s.id, 0); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of pid 0: %v", err)
	}
	s.fail("read 1/stat", syscall.ESRCH)
	if _, err := kernel.StartOf(view(), s.id, 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of one that goes: %v", err)
	}
	s.asker.MountProc(simkernel.Mount{Of: s.m.Initial().Child()})
	if _, err := kernel.StartOf(view(), s.id, 1); err == nil {
		t.Error("through a /proc that is not ours")
	}
}
