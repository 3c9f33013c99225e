package locks

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// deny is a seccomp profile that has the calls by which others are asked for fail, with this error number.
func deny(t *testing.T, lab *containerlab.Lab, errno string) func(*containerlab.Spec) {
	t.Helper()
	file := lab.Dir + "/seccomp-" + errno + ".json"
	const names = `"kill", "tkill", "tgkill", "pidfd_open", "pidfd_send_signal"`
	profile := `{"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X86_64"],
		"syscalls": [{"names": [` + names + `], "action": "SCMP_ACT_ERRNO", "errnoRet": ` + errno + `}]}`
	if err := os.WriteFile(file, []byte(profile), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(s *containerlab.Spec) { s.Flags = append(s.Flags, "--security-opt", "seccomp="+file) }
}

// joined makes three containers with the pids of the first, which is pid 1 and does nothing, so that the holder can be killed without
// its waiter.
func joined(t *testing.T, e *containerlab.Engine, cfg proctest.Config, spec containerlab.Spec, waiters ...func(*containerlab.Spec)) (c *containerlab.Container, holder, waiter *proctest.Proc) {
	t.Helper()
	first := e.Words(cfg, spec)
	first.Proc(t, cfg)
	spec.PID = "container:" + first.Name
	c = e.Words(cfg, spec)
	holder = c.Proc(t, cfg)
	for _, change := range waiters {
		change(&spec)
	}
	waiter = e.Words(cfg, spec).Proc(t, cfg)
	if holder.Inner == 1 || holder.Inner == waiter.Inner {
		t.Fatalf("not in one pid namespace: %d and %d", holder.Inner, waiter.Inner)
	}
	return c, holder, waiter
}

// Where the kernel may not be asked, a holder that is silent is waited for, and the reason is in the text. That goes for one that is gone,
// too: what nobody may ask, nobody can know.
func TestSeccompWithoutKill(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	for _, kind := range pausing {
		for errno, text := range map[string]string{"1": "operation not permitted", "38": "function not implemented"} {
			lab.Engine(kind)
			t.Run(kind.String()+" "+errno, func(t *testing.T) {
				t.Parallel()
				cfg, spec := shared(t)
				profile := deny(t, lab, errno)
				profiled := spec
				profile(&profiled)
				if _, said := lab.Engine(kind).Run(profiled, containerlab.Program(), "kill"); said != "kill: "+text+", pidfd_open: "+text {
					t.Fatalf("the profile is not in force: %s", said)
				}
				c, holder, waiter := joined(t, lab.Engine(kind), cfg, spec, profile)
				holder.Want("ACQ", "acquire")
				c.Pause()
				waiter.Send("acquire", "wait="+(3*cfg.Stale).String())
				waiter.Quiet(3*cfg.Stale - time.Second)
				why := waiter.Expect("HELD", proctest.Patience)
				t.Log(why)
				c.Unpause()
				holder.Want("OK", "check")
				c.Kill()
				waiter.Send("acquire", "wait="+(3*cfg.Stale).String())
				t.Log(waiter.Answer(proctest.Patience))
			})
		}
	}
}

// Without /proc, or with one that hides others, a waiter that cannot say who it is goes by the lease, and one that can asks the kernel.
func TestHiddenProc(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	t.Run("no /proc", func(t *testing.T) {
		t.Parallel()
		cfg, spec := shared(t)
		spec.Flags = []string{"--proc", "/elsewhere"}
		holder, waiter := lab.Words(t, cfg, "bwrap", spec), lab.Words(t, cfg, "bwrap", spec)
		holder.Want("ACQ", "acquire")
		why := waiter.Want("HELD", "acquire", "wait="+(2*cfg.Stale).String())
		if !strings.Contains(why, "in another pid namespace: waits until it has been silent") {
			t.Errorf("it does not say why: %s", why)
		}
		holder.Want("OK", "check")
		begin := time.Now()
		holder.Kill()
		waiter.Want("ACQ", "acquire")
		if took := time.Since(begin); took < cfg.Stale-cfg.Heartbeat-50*time.Millisecond {
			t.Errorf("taken after %v: who cannot say who it is can know of no death", took)
		}
		waiter.Want("REL", "release")
	})
	t.Run("hidepid", func(t *testing.T) {
		t.Parallel()
		cfg, spec := shared(t)
		// One pid namespace, each with a /proc of its own that shows users nothing but what is theirs.
		e := lab.Engine(containerlab.Podman)
		c, holder, waiter := joined(t, e, cfg, spec, func(s *containerlab.Spec) {
			s.User = "1000:1000"
			s.Flags = append(s.Flags, "--security-opt", "proc-opts=hidepid=2")
		})
		holder.Want("ACQ", "acquire")
		c.Pause()
		waiter.Send("acquire", "wait="+(3*cfg.Stale).String())
		waiter.Quiet(3*cfg.Stale - time.Second)
		t.Log(waiter.Expect("HELD", proctest.Patience))
		c.Unpause()
		holder.Want("OK", "check")
		begin := time.Now()
		c.Kill()
		waiter.Want("ACQ", "acquire")
		t.Log(time.Since(begin))
		waiter.Want("REL", "release")
	})
}

// A user namespace without ids: whoever is in it is nobody, and so is everybody else. The kernel says of all who are there that they
// are, by EPERM.
func TestUnmappedIDs(t *testing.T) {
	t.Parallel()
	containerlab.Need(t)
	cfg, _ := shared(t)
	holder := proctest.Start(t, cfg, proctest.AsNobody(t))
	waiter := proctest.Start(t, cfg, proctest.Under("unshare", "--user"))
	holder.Want("ACQ", "acquire")
	holder.Stop()
	waiter.Send("acquire", "wait="+(3*cfg.Stale).String())
	waiter.Quiet(3*cfg.Stale - time.Second)
	if why := waiter.Expect("HELD", proctest.Patience); !strings.Contains(why, "EPERM, it is there") {
		t.Errorf("it does not say why: %s", why)
	}
	holder.Cont()
	holder.Want("OK", "check")
	begin := time.Now()
	holder.Kill()
	waiter.Want("ACQ", "acquire")
	if took := time.Since(begin); took > 3*cfg.Heartbeat+busy {
		t.Errorf("after %v only", took)
	}
	waiter.Want("REL", "release")
}

// In a time namespace /proc gives other start times for the same processes. They are compared within one only, and so who lives is not
// taken for a later one of that number.
func TestTimeNamespace(t *testing.T) {
	t.Parallel()
	containerlab.Need(t)
	for _, where := range [][2][]string{
		{nil, {"unshare", "--time", "--boottime", "1000000", "--monotonic", "1000000"}},
		{{"unshare", "--time", "--boottime", "1000000", "--monotonic", "1000000"}, nil},
	} {
		t.Run(strings.Join(append([]string{"waiter"}, where[1]...), " "), func(t *testing.T) {
			t.Parallel()
			cfg, _ := shared(t)
			start := func(under []string) *proctest.Proc {
				if under == nil {
					return proctest.Start(t, cfg)
				}
				return proctest.Start(t, cfg, proctest.Under(under...))
			}
			holder, waiter := start(where[0]), start(where[1])
			holder.Want("ACQ", "acquire")
			holder.Stop()
			waiter.Send("acquire", "wait="+(3*cfg.Stale).String())
			waiter.Quiet(3*cfg.Stale - time.Second)
			t.Log(waiter.Expect("HELD", proctest.Patience))
			holder.Cont()
			holder.Want("OK", "check")
			begin := time.Now()
			holder.Kill()
			waiter.Want("ACQ", "acquire")
			took := time.Since(begin)
			if took > cfg.Stale+stamp.Confirm(cfg.Heartbeat, cfg.Stale)+busy {
				t.Errorf("after %v only", took)
			}
			t.Log(took)
			waiter.Want("REL", "release")
		})
	}
}
