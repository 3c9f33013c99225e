//go:build linux

package dirlock_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// onRamfs mounts one where a test's directory is, for the processes of the test only. There are no guards there, so that a waiter who is
// around the holder's namespace has nothing but the table of processes.
func onRamfs(dir string) proctest.Option {
	return proctest.Under("unshare", "-m", "--propagation", "private", "sh", "-c", "mount -t ramfs none "+dir+` && exec "$@"`, "-")
}

// beside starts a child that has what another one has mounted, by way of a command.
func beside(p *proctest.Proc, argv ...string) proctest.Option {
	return proctest.Under(append([]string{"nsenter", "-m", "-t", strconv.Itoa(p.Pid())}, argv...)...)
}

// among starts a child in the pid namespace of another one, besides.
func among(p *proctest.Proc, argv ...string) proctest.Option {
	return proctest.Under(append([]string{"nsenter", "-m", "-p", "-t", strconv.Itoa(p.Pid())}, argv...)...)
}

// container is the command line that makes one.
var container = []string{"unshare", "-pf", "--kill-child", "--mount-proc"}

// initially says whether the tests see all processes of this machine. From a container, one within it that is gone whole looks like one that
// is not seen.
func initially(t *testing.T) bool {
	t.Helper()
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	return link == "pid:[4026531836]"
}

func TestProcAncestorSeesItsContainersDeath(t *testing.T) {
	proctest.Root(t, "unshare", "nsenter", "mount")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	waiter := proctest.Start(t, cfg, onRamfs(dir))
	holder := proctest.Start(t, cfg, beside(waiter, container...))
	holder.Want("ACQ", "acquire")
	waiter.Send("acquire")
	waiter.Quiet(3 * cfg.Heartbeat)
	killed := time.Now()
	holder.Kill()
	waiter.Expect("ACQ", proctest.Patience)
	took := time.Since(killed)
	t.Logf("taken over after %v", took.Round(time.Millisecond))
	if most := 3*cfg.Heartbeat + time.Second + busy; took > most && initially(t) {
		t.Errorf("that is more than %v", most)
	}
	if least := 2*cfg.Heartbeat - 100*time.Millisecond; took < least {
		t.Errorf("three beats had not been missed")
	}
	waiter.Want("REL", "release")
}

// Somebody else of the container lives: it is seen from anywhere around.
func TestProcAncestorSeesOneDeathInAContainer(t *testing.T) {
	proctest.Root(t, "unshare", "nsenter", "mount")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := witnessed(t, proctest.Quick(filepath.Join(dir, "lock")))
	waiter := proctest.Start(t, cfg, onRamfs(dir), proctest.Under(container...)) // which is in a container itself
	first := proctest.Start(t, cfg, among(waiter, container...))
	holder := proctest.Start(t, cfg, among(first))
	if first.Inner != 1 || holder.Inner == 1 {
		t.Fatal("not in one container:", first.Inner, holder.Inner)
	}
	holder.Want("ACQ", "acquire")
	waiter.Send("acquire")
	waiter.Quiet(3 * cfg.Heartbeat)
	killed := time.Now()
	holder.Kill()
	waiter.Expect("ACQ", proctest.Patience)
	took := time.Since(killed)
	t.Logf("taken over after %v", took.Round(time.Millisecond))
	if most := 3*cfg.Heartbeat + time.Second + busy; took > most {
		t.Errorf("that is more than %v", most)
	}
	waiter.Want("REL", "release")
}

// What is stopped is seen, and left to the mtime rule.
func TestProcAncestorLeavesTheStoppedAlone(t *testing.T) {
	proctest.Root(t, "unshare", "nsenter", "mount")
	t.Parallel()
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	waiter := proctest.Start(t, cfg, onRamfs(dir))
	holder := proctest.Start(t, cfg, beside(waiter, container...))
	holder.Want("ACQ", "acquire")
	holder.Stop()
	if text := waiter.Want("HELD", "acquire", "wait="+(cfg.Stale-2*cfg.Heartbeat).String()); !strings.Contains(text, "it is pid "+strconv.Itoa(holder.Pid())+" here") {
		t.Error(text)
	}
	waiter.Want("ACQ", "acquire")
	holder.Cont()
	holder.Lost(proctest.Patience)
	waiter.Want("REL", "release")
}
