package locks

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// deny is a seccomp profile that has the calls by which others are asked for fail, with this error number.
func deny(t *testing.T, lab *containerlab.Lab, kind containerlab.Kind, errno string) func(*containerlab.Spec) {
	t.Helper()
	file := lab.Dir + "/seccomp-" + kind.Engine + errno + ".json"
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
func joined(t *testing.T, e *containerlab.Engine, cfg proctest.Config, spec containerlab.Spec, change func(*containerlab.Spec)) (c *containerlab.Container, holder, waiter *proctest.Proc, second *containerlab.Container) {
	t.Helper()
	first := e.Words(cfg, spec)
	first.Proc(t, cfg)
	spec.PID = "container:" + first.Name
	c = e.Words(cfg, spec)
	holder = c.Proc(t, cfg)
	change(&spec)
	second = e.Words(cfg, spec)
	waiter = second.Proc(t, cfg)
	if holder.Inner == 1 || holder.Inner == waiter.Inner {
		t.Fatalf("not in one pid namespace: %d and %d", holder.Inner, waiter.Inner)
	}
	return c, holder, waiter, second
}

// Where the kernel may not be asked, a holder that is silent is waited for, and the reason is in the text. That goes for one that is gone,
// too: what nobody may ask, nobody can know.
func TestSeccompWithoutKill(t *testing.T) {
	t.Parallel()
	lab := containerlab.Start(t)
	for _, d := range []struct {
		kind             containerlab.Kind
		errno, text, why string
	}{
		{containerlab.Docker, "1", "operation not permitted", "EPERM"}, // which is what the kernel says of others' processes, too
		{containerlab.Podman, "38", "function not implemented", "function not implemented), which counts as alive"},
	} {
		kind := d.kind
		lab.Engine(kind)
		t.Run(kind.String()+", "+d.text, func(t *testing.T) {
			t.Parallel()
			cfg, spec := shared(t)
			profile := deny(t, lab, kind, d.errno)
			profiled := spec
			profile(&profiled)
			if _, said := lab.Engine(kind).Run(profiled, containerlab.Program(), "kill"); said != "kill: "+d.text+", pidfd_open: "+d.text {
				t.Fatalf("the profile is not in force: %s", said)
			}
			c, holder, waiter, _ := joined(t, lab.Engine(kind), cfg, spec, profile)
			holder.Want("ACQ", "acquire")
			c.Pause()
			if why := stays(t, cfg, waiter); !strings.Contains(why, d.why) {
				t.Errorf("it does not say why: %s", why)
			}
			c.Unpause()
			holder.Want("OK", "check")
			c.Kill()
			holder.Exited(proctest.Patience)
			// If it is taken now, then by another proof.
			if why := waiter.Say("acquire", "wait="+(2*cfg.Stale).String()); strings.HasPrefix(why, "ACQ") {
				waiter.Want("REL", "release")
			} else if !strings.HasPrefix(why, "HELD") || !strings.Contains(why, d.why) {
				t.Errorf("it does not say why: %s", why)
			}
		})
	}
}

// stays has a waiter wait for a holder that is silent, in vain, and returns what it says then.
func stays(t *testing.T, cfg proctest.Config, waiter *proctest.Proc) (why string) {
	t.Helper()
	waiter.Send("acquire", "wait="+(3*cfg.Stale).String())
	waiter.Quiet(3*cfg.Stale - time.Second)
	return waiter.Expect("HELD", proctest.Patience)
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
		c, holder, waiter, second := joined(t, e, cfg, spec, func(s *containerlab.Spec) {
			s.User = "1000:1000"
			s.Flags = append(s.Flags, "--security-opt", "proc-opts=hidepid=2")
		})
		if seen := strings.Fields(second.Exec("ls", "/proc")); slices.Contains(seen, strconv.Itoa(holder.Inner)) || !slices.Contains(seen, strconv.Itoa(waiter.Inner)) {
			t.Fatalf("pid %d should be hidden from %d, which sees %s", holder.Inner, waiter.Inner, seen)
		}
		holder.Want("ACQ", "acquire")
		c.Pause()
		if why := stays(t, cfg, waiter); !strings.Contains(why, "EPERM, it is there") {
			t.Errorf("it does not say why: %s", why)
		}
		c.Unpause()
		holder.Want("OK", "check")
		c.Kill()
		begin := time.Now()
		waiter.Want("ACQ", "acquire")
		if took := time.Since(begin); took > 3*cfg.Heartbeat+busy {
			t.Errorf("after %v only", took)
		}
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
	if why := stays(t, cfg, waiter); !strings.Contains(why, "EPERM, it is there") {
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

// In a time namespace /proc gives other start times for the same processes, as it does after a checkpoint. They are compared within one only,
// and so who lives is not taken for a later one of that number.
func TestTimeNamespace(t *testing.T) {
	t.Parallel()
	containerlab.Need(t)
	ahead := proctest.Under("unshare", "--time", "--boottime", "1000000", "--monotonic", "1000000")
	for name, where := range map[string][2][]proctest.Option{"waiter": {nil, {ahead}}, "holder": {{ahead}, nil}, "both": {{ahead}, {ahead}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := shared(t)
			holder, waiter := proctest.Start(t, cfg, where[0]...), proctest.Start(t, cfg, where[1]...)
			if same := timens(t, holder) == timens(t, waiter); same {
				t.Fatal("in one time namespace")
			}
			holder.Want("ACQ", "acquire")
			holder.Stop()
			if why := stays(t, cfg, waiter); !strings.Contains(why, "it is there") {
				t.Errorf("it does not say why: %s", why)
			}
			holder.Cont()
			holder.Want("OK", "check")
			holder.Kill()
			begin := time.Now()
			waiter.Want("ACQ", "acquire")
			if took := time.Since(begin); took > 3*cfg.Heartbeat+busy {
				t.Errorf("after %v only", took)
			}
			waiter.Want("REL", "release")
		})
	}
	t.Run("checkpoint", func(t *testing.T) {
		if out, err := exec.Command("criu", "check").CombinedOutput(); err != nil {
			said, _, _ := strings.Cut(string(out), "\n")
			containerlab.Absent(t, "criu", fmt.Errorf("%w: %s", err, said))
			return
		}
		t.Error("criu can checkpoint here: a test of a holder that is restored has to be written")
	})
}

func timens(t *testing.T, p *proctest.Proc) string {
	t.Helper()
	link, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/time", p.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	return link
}
