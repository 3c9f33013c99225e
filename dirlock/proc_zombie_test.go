//go:build linux

package dirlock_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/dirlock"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
	"github.com/aac6cccc/mkdirlock/stamp"
)

// leaderLeaves is a program whose first thread ends while another works on: the process is listed as a zombie.
const leaderLeaves = `
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *work(void *unused) {
	for (;;) pause();
	return unused;
}

int main(void) {
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
	puts("working");
	fflush(stdout);
	pthread_exit(NULL);
}
`

// startLeaderless runs a process whose leader has left, and returns how to kill it. It stays unreaped until the test ends.
func startLeaderless(t *testing.T) (pid int, kill func()) {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "leader.c"), filepath.Join(dir, "leader")
	if err := os.WriteFile(source, []byte(leaderLeaves), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-pthread", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { cmd.Process.Kill() }
	t.Cleanup(func() { kill(); cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	pid = cmd.Process.Pid
	proctest.Until(t, proctest.Patience, "the leader is a zombie", func() bool { return state(t, pid) == "Z" })
	return pid, kill
}

// state is the letter that /proc/N/stat has for a process.
func state(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
}

func TestProcZombieLeaderWithLiveThreads(t *testing.T) {
	t.Parallel()
	pid, kill := startLeaderless(t)
	start, err := stamp.StartOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	dir := proctest.Disk(t)
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	token := cfg.Forge(t, 3*cfg.Stale, func(s *stamp.Stamp) { s.PID, s.Start = pid, start })

	m := cfg.Mutex()
	m.Wait = 2 * cfg.Stale
	if lock, err := m.Acquire(t.Context()); err == nil {
		t.Fatal("taken from a process that works on:", lock.Stamp().Name())
	} else {
		t.Log(err)
	}
	if names := proctest.Names(cfg.Path); names != token {
		t.Fatalf("its stamp was touched: %s", names)
	}

	// Nobody reaps it: now it is a zombie through and through.
	kill()
	m.Wait = cfg.Wait
	var lock *dirlock.Lock
	if lock, err = m.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	if state(t, pid) != "Z" {
		t.Error("it was reaped, so this was no test of a zombie")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	sole(t, dir)
}
