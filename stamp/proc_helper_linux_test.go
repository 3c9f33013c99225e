package stamp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

type helper struct {
	t   *testing.T
	cmd *exec.Cmd
	pid int
	in  io.WriteCloser
	out *bufio.Scanner
}

// needRoot stops a test that makes namespaces or other users' processes. As root
// nothing is skipped: what is missing then fails.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may make namespaces and processes of other users")
	}
}

// startHelper runs the helper, through the command before it if there is one,
// such as unshare with its options.
func startHelper(t *testing.T, attr *syscall.SysProcAttr, before ...string) *helper {
	t.Helper()
	return startProgram(t, attr, append(before, os.Args[0])...)
}

func startProgram(t *testing.T, attr *syscall.SysProcAttr, argv ...string) *helper {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A helper that hangs fails its test instead of the whole run.
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	h := &helper{t: t, cmd: cmd, pid: cmd.Process.Pid, in: in, out: bufio.NewScanner(out)}
	t.Cleanup(func() {
		timer.Stop()
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return h
}

func (h *helper) say(v any, format string, args ...any) {
	h.t.Helper()
	fmt.Fprintf(h.in, format+"\n", args...)
	if !h.out.Scan() {
		h.t.Fatalf("%v: no answer to %q", h.cmd.Args, fmt.Sprintf(format, args...))
	}
	if err := json.Unmarshal(h.out.Bytes(), v); err != nil {
		h.t.Fatalf("%v: %q: %v", h.cmd.Args, h.out.Text(), err)
	}
}

func (h *helper) self() (id Identity) {
	h.t.Helper()
	h.say(&id, "self")
	return id
}

func (h *helper) ask(q question) (ev Evidence) {
	h.t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		h.t.Fatal(err)
	}
	h.say(&ev, "ask %s", text)
	return ev
}

// zombify kills the process that cmd started and waits for it to be dead, but
// leaves it unreaped.
func zombify(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
}

// reap waits for a process that was killed, after which its pid is free.
func (h *helper) reap() {
	h.t.Helper()
	if err := h.cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		h.t.Fatal(err)
	}
}

// stampOf is the stamp of a process in our namespace, as it would make it.
func stampOf(t *testing.T, pid int) Stamp {
	t.Helper()
	start, err := StartOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	id := Self()
	return Stamp{Version: Version, PID: pid, Start: start, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS}
}

// stateOf returns the letter that /proc shows for a process.
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	st, err := parseStat(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(st.state)
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// want checks an answer and that it says why.
func want(t *testing.T, ev Evidence, a Answer, how string) {
	t.Helper()
	if ev.Answer != a || !strings.Contains(ev.How, how) {
		t.Errorf("got %v (%s), want %v (...%s...)", ev.Answer, ev.How, a, how)
	}
}

// forAll returns a copy of the test binary that every user may run.
func forAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "stamp-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "helper")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, text, 0o755), os.Chmod(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

// leaderLeaves goes on in another thread than its first.
const leaderLeaves = `
#include <pthread.h>
#include <unistd.h>
static void *stay(void *x) { for (;;) pause(); }
int main(void) { pthread_t t; pthread_create(&t, 0, stay, 0); pthread_exit(0); }
`

// threadExecs starts itself again and again, each time from a new thread.
const threadExecs = `
#include <pthread.h>
#include <unistd.h>
static char **args;
static void *again(void *x) { execv(args[0], args); _exit(9); }
int main(int argc, char **argv) {
	args = argv;
	pthread_t t; pthread_create(&t, 0, again, 0);
	for (;;) pause();
}
`

// compile builds a small C program, for what the Go runtime cannot do.
func compile(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err := os.WriteFile(src, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-pthread", "-o", bin, src).CombinedOutput(); err != nil {
		t.Fatalf("gcc is needed here: %v\n%s", err, out)
	}
	return bin
}
