package simkernel_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
	"github.com/aac6cccc/mkdirlock/internal/simkernel"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may make namespaces and processes of other users")
	}
}

// start is field 22 of a process's stat, 0 if it cannot be read.
func start(sys kernel.System, pid int) uint64 {
	p, err := sys.Proc()
	if err != nil {
		return 0
	}
	defer p.Close()
	text, _ := p.ReadFile(strconv.Itoa(pid) + "/stat")
	_, rest, _ := cutLast(text, ')')
	f := strings.Fields(string(rest))
	if len(f) < 20 {
		return 0
	}
	n, _ := strconv.ParseUint(f[19], 10, 64)
	return n
}

func differ(t *testing.T, what, real, sim string) {
	t.Helper()
	if real != sim {
		t.Errorf("%s:\n%s, really\n%s, simulated", what, real, sim)
	}
}

// Others look at a child of this test: as another user, through a /proc that hides, from another time, without /proc.
func TestLikeTheRealKernelForOthers(t *testing.T) {
	needRoot(t)
	const nobody = `exec setpriv --reuid 1234 --regid 1234 --clear-groups "$0"`
	for _, c := range []struct {
		name   string
		uid    int // of what is looked at
		before []string
		asker  func(m *simkernel.Machine) simkernel.Spec
	}{
		{"root", 0, nil, func(*simkernel.Machine) simkernel.Spec { return simkernel.Spec{} }},
		{"another user", 0, []string{"sh", "-c", nobody}, func(*simkernel.Machine) simkernel.Spec { return simkernel.Spec{UID: 1234} }},
		{"hidepid=1", 0, hide("hidepid=1", nobody), hidden(simkernel.NoAccess, 1234)},
		{"hidepid=2", 0, hide("hidepid=2", nobody), hidden(simkernel.Invisible, 1234)},
		{"hidepid=2, the same user", 1234, hide("hidepid=2", nobody), hidden(simkernel.Invisible, 1234)},
		{"hidepid=2, root, at another user's", 1234, hide("hidepid=2", `exec "$0"`), hidden(simkernel.Invisible, 0)},
		{"hidepid=4", 0, hide("hidepid=4", nobody), hidden(simkernel.Ptraceable, 1234)},
		{"hidepid=2, root", 0, hide("hidepid=2", `exec "$0"`), hidden(simkernel.Invisible, 0)},
		{"no /proc", 0, []string{"unshare", "-m", "sh", "-c", `umount -l /proc && exec "$0"`}, func(*simkernel.Machine) simkernel.Spec {
			return simkernel.Spec{Mount: &simkernel.Mount{}}
		}},
		{"another time namespace", 0, []string{"unshare", "--time", "--boottime", "1000", "-f", "--kill-child"}, func(m *simkernel.Machine) simkernel.Spec {
			return simkernel.Spec{Time: m.NewTime(100000)}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pairAs(t, "stay", c.uid, nil)
			real := look(t, strconv.Itoa(p.real.Process.Pid), c.before...)
			m := machineOf(p)
			asker := spawn(t, p.asker.Namespace(), c.asker(m))
			sys, pid := asker.View(nil), p.sim.PID()
			names := map[int]string{pid: "it"}
			differ(t, "it", real.It, about(sys, pid, names))
			differ(t, "its group", real.Group, about(sys, -pid, names))
			differ(t, "init", listedOnly(real.Init), listedOnly(about(sys, 1, names)))
			differ(t, "self", real.Self, self(sys, asker.PID()))
			ahead := int64(real.Start) - int64(start(kernel.Real(), p.real.Process.Pid))
			simAhead := int64(start(sys, pid)) - int64(p.sim.Start())
			if real.Start != 0 && ahead != simAhead {
				t.Errorf("start times are shown %d ahead, really, %d simulated", ahead, simAhead)
			}
		})
	}
}

func hide(option, then string) []string {
	return []string{"unshare", "-m", "sh", "-c", "mount -t proc -o " + option + " proc /proc && " + then}
}

func hidden(h simkernel.Hide, uid int) func(*simkernel.Machine) simkernel.Spec {
	return func(m *simkernel.Machine) simkernel.Spec {
		return simkernel.Spec{UID: uid, Mount: &simkernel.Mount{Of: m.Initial(), Hide: h}}
	}
}

func machineOf(p pair) *simkernel.Machine { return p.asker.Namespace().Machine() }

// listedOnly leaves out the stat, where it was read: how many threads a machine's init has is its own matter.
func listedOnly(about string) string {
	before, rest, found := strings.Cut(about, "stat: another ")
	if !found {
		return about
	}
	_, listed, _ := strings.Cut(rest, "; ")
	return before + listed
}

// Others look at a child of their own from within a pid namespace, with that one's /proc or another's.
func TestLikeTheRealKernelInNamespaces(t *testing.T) {
	needRoot(t)
	m := simkernel.New([16]byte{1}, "h")
	shim := spawn(t, m.Initial(), simkernel.Spec{})
	for range 5 {
		spawn(t, m.Initial(), simkernel.Spec{})
	}
	sibling := m.Initial().Child()
	spawn(t, sibling, simkernel.Spec{})
	for _, c := range []struct {
		name   string
		before []string
		mount  func(ns *simkernel.Namespace) simkernel.Mount
		ours   bool
	}{
		{"its own /proc", []string{"unshare", "-pf", "--mount-proc", "--kill-child"}, func(ns *simkernel.Namespace) simkernel.Mount {
			return simkernel.Mount{Of: ns}
		}, true},
		{"the outer /proc", []string{"unshare", "-pf", "--kill-child"}, func(*simkernel.Namespace) simkernel.Mount {
			return simkernel.Mount{Of: m.Initial()}
		}, false},
		{"a sibling's /proc", []string{"unshare", "-pf", "--mount-proc", "--kill-child", "unshare", "-m", "sh", "-c", siblingProc}, func(*simkernel.Namespace) simkernel.Mount {
			return simkernel.Mount{Of: sibling}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			real := look(t, "parent", c.before...)
			ns := m.Initial().Child()
			mount := c.mount(ns)
			asker := spawn(t, ns, simkernel.Spec{Parent: shim, Mount: &mount})
			sim := sight{Self: self(asker.View(nil), asker.PID()), All: word(asker.View(nil).Kill(-1))}
			it := spawn(t, ns, simkernel.Spec{Parent: asker, Threads: 3})
			names := map[int]string{asker.PID(): "asker", it.PID(): "it"}
			sim.Alive = about(asker.View(nil), it.PID(), names)
			it.Kill()
			sim.Zombie = about(asker.View(nil), it.PID(), names)
			it.Reap()
			sim.Gone = about(asker.View(nil), it.PID(), names)
			differ(t, "self", real.Self, sim.Self)
			differ(t, "all", real.All, sim.All)
			for what, pair := range map[string][2]string{"alive": {real.Alive, sim.Alive}, "zombie": {real.Zombie, sim.Zombie}, "gone": {real.Gone, sim.Gone}} {
				if !c.ours { // whom /proc shows under that number is different on every machine
					pair[0], _, _ = strings.Cut(pair[0], "; stat")
					pair[1], _, _ = strings.Cut(pair[1], "; stat")
				}
				differ(t, what, pair[0], pair[1])
			}
		})
	}
}

// siblingProc mounts the /proc of a pid namespace that is made for it, and goes on outside of that.
const siblingProc = `unshare -pf sh -c 'mount -t proc proc /proc' && exec "$0"`
