package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/runner/ptytest"
)

// A key that ends the wait leaves nothing behind: no stamp of this process, no leader, no lock.
func TestAKeyEndsTheWait(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "jobs.lock")
	if err := os.Mkdir(lock, 0o777); err != nil { // a script's lock
		t.Fatal(err)
	}
	tty := ptytest.Open(t)
	cmd := dirlockCommand(t, "run", "--wait", "-1", lock, "--", "echo", "ran")
	tty.Start(cmd)
	eventually(t, "the leader waits", func() bool { return len(children(cmd.Process.Pid)) == 1 })
	leader := children(cmd.Process.Pid)[0]
	tty.Type("\x03")
	cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v", cmd.ProcessState)
	}
	if exists("/proc/" + leader) {
		t.Error("the leader is left behind")
	}
	if entries, err := os.ReadDir(lock); err != nil || len(entries) > 0 {
		t.Errorf("in the lock: %v, %v", entries, err)
	}
	if tty.Screen() != "" {
		t.Errorf("said %q", tty.Screen())
	}
}

// children of a process, whichever of its threads made them.
func children(pid int) (pids []string) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		list, _ := os.ReadFile(f)
		pids = append(pids, strings.Fields(string(list))...)
	}
	return pids
}

// As the first process of a container dirlock inherits every orphan, and cannot die by a signal.
func TestAsPidOne(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("a pid namespace needs root")
	}
	lock := filepath.Join(t.TempDir(), "jobs.lock")
	for script, code := range map[string]int{
		`exit 3`:                            3,
		`(sleep 0.3 & ) ; exit 4`:           4,
		`sh -c "sleep 0.2 & exit" & exit 5`: 5,
		`kill -TERM $$`:                     128 + 15,
		`kill -INT $$`:                      128 + 2,
		`kill -PIPE $$`:                     128 + 13,
	} {
		t.Run(script, func(t *testing.T) {
			cmd := dirlockCommand(t, "run", lock, "--", "sh", "-c", script)
			cmd.Args = append([]string{"unshare", "-pf", "--mount-proc", binary}, cmd.Args[1:]...)
			cmd.Path = "/usr/bin/unshare"
			r := finish(t, cmd)
			r.want(t, code)
			if r.stderr != "" {
				t.Errorf("said %q", r.stderr)
			}
			if exists(lock) {
				t.Error("the lock is left behind")
			}
		})
	}
}

// forget is the first argument of the test binary as a command whose child leaves the group after it made a child of its
// own in it, which it never waits for. The second says who runs, the third is a file for the pid of the one that stays.
const forget = "-forget"

func forgetful(who, pids string) int {
	self, attr := "/proc/self/exe", &os.ProcAttr{Files: []*os.File{nil, nil, nil}}
	begin := func(who string) {
		if _, err := os.StartProcess(self, []string{self, forget, who, pids}, attr); err != nil {
			panic(err)
		}
	}
	switch who {
	case "leader":
		begin("parent")
		for !exists(pids) {
			time.Sleep(5 * time.Millisecond)
		}
		return 6
	case "parent":
		begin("child")
		if _, err := syscall.Setsid(); err != nil {
			panic(err)
		}
		if err := os.WriteFile(pids+".new", fmt.Append(nil, os.Getpid()), 0o666); err != nil {
			panic(err)
		}
		if err := os.Rename(pids+".new", pids); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	}
	return 0 // the child, a zombie from here on
}

// A group of zombies, whose parent outside the group forgets them, does not keep the lock for ever.
func TestAGroupOfZombiesIsNotWaitedFor(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	lock, pids := filepath.Join(dir, "jobs.lock"), filepath.Join(dir, "pids")
	r := finish(t, dirlockCommand(t, "run", lock, "--", self, forget, "leader", pids))
	var pid int
	data, _ := os.ReadFile(pids)
	fmt.Sscan(string(data), &pid)
	if pid <= 1 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Errorf("the parent of the zombie, %d, is not there", pid)
	}
	r.want(t, 6)
	if exists(lock) {
		t.Error("the lock is left behind")
	}
}
