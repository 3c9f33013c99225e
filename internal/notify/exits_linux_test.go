package notify_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// TestZombie: a process that nobody has reaped has ended, whether that is known before it is watched or not.
func TestZombie(t *testing.T) {
	var e notify.Exits
	child := proctest.Start(t, proctest.Config{}, proctest.Unreaped())
	a, _ := awaitEnd(t, &e, child.Inner)
	child.Kill()
	a.reach(1, "a zombie, watched alive")
	b, _ := awaitEnd(t, &e, child.Inner)
	b.reach(1, "a zombie from the start")
}

func sleeper(t testing.TB) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	must(t, cmd.Start())
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it is gone already
	_ = cmd.Wait()         // killed
}

func threads(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	must(t, err)
	_, after, _ := strings.Cut(string(text), "\nThreads:")
	line, _, _ := strings.Cut(after, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	must(t, err)
	return n
}

// TestNoThreads: two hundred processes and two hundred directories are waited for by no thread.
func TestNoThreads(t *testing.T) {
	proctest.Root(t, "sleep")
	var e notify.Exits
	var d notify.Dirs
	dir := t.TempDir()
	var children []*exec.Cmd
	for range 200 {
		children = append(children, sleeper(t))
	}
	check := nothingLeft(t)
	before, fds := threads(t), descriptors(t)
	var all, dirs []*calls
	for i, child := range children {
		c, _ := awaitEnd(t, &e, child.Process.Pid)
		all = append(all, c)
		c, _ = watch(t, &d, lock(t, fmt.Sprintf("%s/%d", dir, i)))
		dirs = append(dirs, c)
	}
	if n := descriptors(t) - fds; n != 201 {
		t.Fatalf("%d descriptors for 200 processes and all directories", n)
	}
	if n := threads(t) - before; n > 10 {
		t.Errorf("%d threads more", n)
	}
	for i, child := range children {
		kill(child)
		all[i].reach(1, "killed")
		must(t, os.Remove(fmt.Sprintf("%s/%d", dir, i)))
		dirs[i].reach(1, "removed")
	}
	check() // an end is the end of the watch, too
	if n := threads(t) - before; n > 10 {
		t.Errorf("%d threads more", n)
	}
}

// TestExitsLeaveNothing: all who wait for one process share one descriptor.
func TestExitsLeaveNothing(t *testing.T) {
	var e notify.Exits
	child := sleeper(t)
	check := nothingLeft(t)
	before := open(t, "pidfd")
	for range 3 {
		var stops []func()
		for range 10 {
			_, stop := awaitEnd(t, &e, child.Process.Pid)
			stops = append(stops, stop)
		}
		if n := open(t, "pidfd") - before; n != 1 {
			t.Errorf("%d descriptors", n)
		}
		for _, stop := range stops {
			stop()
		}
		check()
		_, err := e.Watch(child.Process.Pid, func() bool { return false }, func() {})
		if !errors.Is(err, notify.ErrNoProcess) {
			t.Error(err)
		}
		check()
	}
}

// TestPidGivenAway: the number of a process that was watched is another's by now.
func TestPidGivenAway(t *testing.T) {
	if !isolated(t, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}) {
		return
	}
	var e notify.Exits
	first := sleeper(t)
	pid := first.Process.Pid
	a, _ := awaitEnd(t, &e, pid)
	kill(first)
	second := again(t, pid)
	b, _ := awaitEnd(t, &e, pid)
	a.reach(1, "the first has ended")
	if b.count() != 0 {
		t.Error("told of its predecessor's end")
	}
	kill(second)
	b.reach(1, "the second has ended")
	third := again(t, pid)
	_, err := e.Watch(pid, func() bool { return false }, func() { t.Error("told of the third's end") })
	if !errors.Is(err, notify.ErrNoProcess) {
		t.Error(err)
	}
	kill(third)
	if a.count() != 1 || b.count() != 1 {
		t.Errorf("told %d and %d times", a.count(), b.count())
	}
}

// again starts a process that gets this pid, in a pid namespace of our own.
func again(t *testing.T, pid int) *exec.Cmd {
	t.Helper()
	for range 100 {
		must(t, os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0))
		if cmd := sleeper(t); cmd.Process.Pid == pid {
			return cmd
		}
	}
	t.Fatalf("nobody gets pid %d", pid)
	return nil
}

// TestManyWaitersAtOnce: they come, change their minds, and wait, while the processes die.
func TestManyWaitersAtOnce(t *testing.T) {
	var e notify.Exits
	check := nothingLeft(t)
	var wg sync.WaitGroup
	for range 20 {
		child := sleeper(t)
		for i := range 50 {
			wg.Go(func() {
				done := make(chan struct{})
				stop, err := e.Watch(child.Process.Pid, yes, func() { close(done) })
				switch {
				case errors.Is(err, notify.ErrNoProcess):
					return
				case err != nil:
					t.Error(err)
					return
				case i%3 > 0:
					<-done
				}
				stop()
			})
		}
		wg.Go(func() { kill(child) })
	}
	wg.Wait()
	check()
}
