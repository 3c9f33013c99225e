package simkernel_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/kernel"
)

// The test binary is also the other process: with this variable set it is what that says until its stdin ends.
const roleEnv = "SIMKERNEL_TEST_ROLE"

func init() {
	role := os.Getenv(roleEnv)
	switch role {
	case "":
		return
	case "stay", "leave":
		fmt.Println("up")
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		if role == "leave" {
			unix.Syscall(unix.SYS_EXIT, 0, 0, 0) // only this thread, which is the first: initialisation runs on it
		}
		select {}
	}
	report(role)
	os.Exit(0)
}

// sight is what a process sees of the real kernel.
type sight struct {
	Self, It, Group, Init string
	Start                 uint64 // of it, as seen in this time namespace

	All string // kill(-1), by the only process of a pid namespace

	// Of a child, in the process's own pid namespace.
	Alive, Zombie, Gone string
}

func report(role string) {
	sys := kernel.Real()
	var s sight
	if it, err := strconv.Atoi(role); err == nil {
		names := map[int]string{it: "it"}
		s = sight{Self: self(sys, os.Getpid()), It: about(sys, it, names), Group: about(sys, -it, names), Init: about(sys, 1, names), Start: start(sys, it)}
	} else {
		s.Self, s.All = self(sys, os.Getpid()), word(sys.Kill(-1))
		cmd := exec.Command(os.Args[0])
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		os.Setenv(roleEnv, "stay")
		in, err := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		err = errors.Join(err, err2, cmd.Start())
		bufio.NewScanner(out).Scan()
		names := map[int]string{os.Getpid(): "asker", cmd.Process.Pid: "it"}
		s.Alive = about(sys, cmd.Process.Pid, names)
		err = errors.Join(err, cmd.Process.Kill(), unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
		s.Zombie = about(sys, cmd.Process.Pid, names)
		cmd.Wait()
		s.Gone = about(sys, cmd.Process.Pid, names)
		in.Close()
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(3)
		}
	}
	json.NewEncoder(os.Stdout).Encode(s)
}

// look lets another process report, through the command before it that puts it where it looks from.
func look(t *testing.T, role string, before ...string) (s sight) {
	t.Helper()
	argv := append(before, forAll(t))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), roleEnv+"="+role, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v", argv, err)
	}
	if err := json.Unmarshal(out, &s); err != nil {
		t.Fatalf("%q: %v: %q", argv, err, out)
	}
	return s
}

// forAll is a copy of the test binary that every user may run.
func forAll(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/dev/shm", "simkernel-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := filepath.Join(dir, "child")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(bin, text, 0o755), os.Chmod(bin, 0o755)); err != nil {
		t.Fatal(err)
	}
	return bin
}

// child is a process that waits, in a process group of its own or another's.
func child(t *testing.T, role string, uid, group int) *exec.Cmd {
	t.Helper()
	bin := os.Args[0]
	attr := &syscall.SysProcAttr{Setpgid: true, Pgid: group}
	if uid != os.Geteuid() {
		bin, attr.Credential = forAll(t), &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	cmd := exec.Command(bin)
	cmd.Env = append(os.Environ(), roleEnv+"="+role)
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
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the child says nothing")
	}
	return cmd
}
