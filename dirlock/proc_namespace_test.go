//go:build linux

package dirlock_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// elsewhere starts a child that sees other pids than the test, and is number 1 among them. The host name stays.
func elsewhere() proctest.Option {
	return proctest.Under("unshare", "-pf", "--kill-child", "--mount-proc")
}

// The holder's pid means nothing to the waiter: kill would answer ESRCH, or speak of another process.
func TestProcHolderInAnotherPidNamespace(t *testing.T) {
	proctest.Root(t, "unshare")
	here := func(*proctest.Proc) {}
	for name, where := range map[string][2]proctest.Option{
		"holder here":    {here, elsewhere()},
		"waiter here":    {elsewhere(), here},
		"pid 1 in both":  {elsewhere(), elsewhere()},
		"other hostname": {proctest.Under("unshare", "-pfu", "--kill-child", "--mount-proc", "sh", "-c", `hostname other && exec "$@"`, "-"), here},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := proctest.Disk(t)
			cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
			holder, waiter := proctest.Start(t, cfg, where[0]), proctest.Start(t, cfg, where[1])
			if name == "pid 1 in both" && (holder.Inner != 1 || waiter.Inner != 1) {
				t.Fatal("neither is pid 1:", holder.Inner, waiter.Inner)
			}
			holder.Want("ACQ", "acquire")
			waiter.Send("acquire")
			waiter.Quiet(2 * cfg.Stale) // it beats
			killed := time.Now()
			holder.Kill()
			waiter.Expect("ACQ", proctest.Patience)
			took := time.Since(killed)
			t.Logf("taken over after %v", took.Round(time.Millisecond))
			if most := 3*cfg.Heartbeat + busy; took > most {
				t.Errorf("that is more than %v", most)
			}
			waiter.Want("REL", "release")
			sole(t, dir)
		})
	}
}

// The error of such a waiter must not claim to know more than it does.
func TestProcForeignHolderIsCalledSo(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	cfg := proctest.Quick(filepath.Join(proctest.Disk(t), "lock"))
	holder, waiter := proctest.Start(t, cfg), proctest.Start(t, cfg, elsewhere())
	holder.Want("ACQ", "acquire")
	text := waiter.Want("HELD", "acquire", "wait=600ms")
	if !strings.Contains(text, strconv.Itoa(holder.Inner)) || strings.Contains(text, "ESRCH") {
		t.Error(text)
	}
}

// unshare -p without a new /proc: /proc/N is another process than pid N, and its start time another's.
func TestProcStoppedHolderUnderAForeignProc(t *testing.T) {
	proctest.Root(t, "unshare", "nsenter")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	holder := proctest.Start(t, cfg, proctest.Under("unshare", "-pf", "--kill-child"))
	waiter := proctest.Start(t, cfg, proctest.Under("nsenter", "-p", "-t", strconv.Itoa(holder.Pid())))
	if holder.Inner != 1 || waiter.Inner == waiter.Pid() {
		t.Fatalf("not in one namespace of their own: pids %d and %d", holder.Inner, waiter.Inner)
	}
	holder.Want("ACQ", "acquire")
	holder.Stop()
	waiter.Send("acquire")
	waiter.Quiet(3*cfg.Stale + time.Second)
	holder.Cont()
	holder.Want("OK", "check")
	holder.Want("REL", "release")
	waiter.Expect("ACQ", proctest.Patience)
	waiter.Want("REL", "release")
	sole(t, dir)
}

// As above with a holder that is not the first of its namespace, so that its end leaves the waiter alone: its death is
// noticed all the same, if not at once.
func TestProcDeadHolderUnderAForeignProc(t *testing.T) {
	proctest.Root(t, "unshare", "nsenter")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	first := proctest.Start(t, cfg, proctest.Under("unshare", "-pf", "--kill-child"))
	enter := proctest.Under("nsenter", "-p", "-t", strconv.Itoa(first.Pid()))
	holder, waiter := proctest.Start(t, cfg, enter), proctest.Start(t, cfg, enter)
	holder.Want("ACQ", "acquire")
	waiter.Send("acquire")
	waiter.Quiet(cfg.Stale)
	holder.Kill()
	waiter.Expect("ACQ", cfg.Stale+proctest.Patience/2)
	waiter.Want("REL", "release")
	sole(t, dir)
}

// One kernel, one pid namespace, two host names: the kernel's word on the living counts, and for a death it takes silence
// besides, since a cloned machine takes its boot id along.
func TestProcHolderUnderAnotherHostName(t *testing.T) {
	proctest.Root(t, "unshare", "hostname")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	holder := proctest.Start(t, cfg)
	waiter := proctest.Start(t, cfg, proctest.Under("unshare", "-u", "sh", "-c", `hostname other && exec "$@"`, "-"))
	holder.Want("ACQ", "acquire")
	holder.Stop()
	waiter.Send("acquire")
	waiter.Quiet(3 * cfg.Stale)
	holder.Cont()
	holder.Want("OK", "check")
	killed := time.Now()
	holder.Kill()
	waiter.Expect("ACQ", proctest.Patience)
	if took := time.Since(killed); took < cfg.Stale-2*cfg.Heartbeat {
		t.Errorf("taken over after %v only", took)
	}
	waiter.Want("REL", "release")
	sole(t, dir)
}

// Without /proc a waiter cannot say who it is, and so can judge nobody by the kernel's word. A beating holder is safe.
func TestProcWaiterWithoutProc(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	holder := proctest.Start(t, cfg)
	waiter := proctest.Start(t, cfg, proctest.Under("unshare", "-m", "sh", "-c", `umount -l /proc && exec "$@"`, "-"))
	holder.Want("ACQ", "acquire")
	waiter.Want("HELD", "acquire", "wait="+(2*cfg.Stale).String())
	holder.Want("OK", "check")
	holder.Kill()
	waiter.Want("ACQ", "acquire")
	waiter.Want("REL", "release")
	sole(t, dir)
}

// A container that crashes and comes back, again and again: the same name, the same pid, another namespace.
func TestProcContainerThatRestarts(t *testing.T) {
	proctest.Root(t, "unshare")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	cfg.Heartbeat, cfg.Stale = 200*time.Millisecond, 2*time.Second // each life waits for the one before
	for range 4 {
		p := proctest.Start(t, cfg, elsewhere())
		p.Want("ACQ", "acquire")
		if names := proctest.Names(cfg.Path); len(strings.Fields(names)) != 1 {
			t.Errorf("it piles up: %s", names)
		}
		p.Kill()
	}
}
