//go:build unix

package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary is the program under test, too: "-run-like LOCK CMD ARG..." runs CMD as long as the file LOCK is there.
// "-show" as CMD shows what a command was given.
const (
	runLike = "-run-like"
	show    = "-show"
)

const patience30 = 30 * time.Second

func TestMain(m *testing.M) {
	Leader()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case runLike:
			runLikeDirlock(os.Args[2], os.Args[3:])
		case show:
			json.NewEncoder(os.Stdout).Encode(given{os.Args, os.Environ()})
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// given is what a command was given. JSON would mend strings that are no UTF-8, so the tests use none but in bytes.
type given struct{ Args, Env []string }

// fileLock is held as long as a file is there. A file beside it that ends in .wait is waited away before it is taken; one
// that ends in .blind says that only Check notices a loss.
type fileLock struct {
	path string
	ctx  context.Context
	lose context.CancelCauseFunc
}

func (l *fileLock) Context() context.Context { return l.ctx }

func (l *fileLock) Check() error {
	if _, err := os.Lstat(l.path); err != nil {
		l.lose(errors.New("the file is gone"))
	}
	return l.ctx.Err()
}

func (l *fileLock) watch() {
	for l.Check() == nil {
		time.Sleep(10 * time.Millisecond)
	}
}

func runLikeDirlock(path string, args []string) {
	say := func(format string, args ...any) { fmt.Fprintf(os.Stderr, "said: "+format+"\n", args...) }
	fail := func(err error) {
		say("%v", err)
		if e, ok := errors.AsType[*ExecError](err); ok {
			os.Exit(e.Code)
		}
		os.Exit(99)
	}
	exe, err := Resolve(args[0])
	if err != nil {
		fail(err)
	}
	grace, err := time.ParseDuration(read(path))
	if err != nil {
		fail(err)
	}
	p, err := Start(Command{Path: exe, Args: args, Grace: grace, Say: say, Gone: gone})
	if err != nil {
		fail(err)
	}
	os.WriteFile(path+".pids", fmt.Appendf(nil, "%d %d", os.Getpid(), p.Group()), 0o666)
	l := &fileLock{path: path}
	l.ctx, l.lose = context.WithCancelCause(context.Background())
	ctx, stop := p.Interruptible(context.Background())
	for ctx.Err() == nil {
		if _, err := os.Lstat(path + ".wait"); err != nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if sig := stop(); sig != 0 {
		p.Abandon()
		Die(sig)
	}
	if _, err := os.Lstat(path + ".blind"); err != nil {
		go l.watch()
	}
	out := p.Run(l)
	if out.Err != nil {
		fail(out.Err)
	}
	if out.Lost != nil {
		os.Exit(76)
	}
	Exit(out)
}

// job is one run of the program under test.
type job struct {
	*exec.Cmd
	t           *testing.T
	lock        string
	out, errout bytes.Buffer
}

// command prepares a run of CMD with its output collected. Whatever is left of its group is killed with the test.
func command(t *testing.T, args ...string) *job {
	t.Helper()
	lock := filepath.Join(t.TempDir(), "lock")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	j := &job{Cmd: exec.Command(exe, append([]string{runLike, lock}, args...)...), t: t, lock: lock}
	j.Stdout, j.Stderr = &j.out, &j.errout
	j.grace(patience30)
	j.WaitDelay = patience30 // for who keeps the pipes open
	t.Cleanup(func() {
		if _, group := j.pids(); group > 1 {
			unix.Kill(-group, unix.SIGKILL)
		}
		if t.Failed() {
			t.Logf("stdout: %q\nstderr: %q", j.out.String(), j.errout.String())
		}
	})
	return j
}

// sh prepares a run of a shell script.
func sh(t *testing.T, script string, args ...string) *job {
	t.Helper()
	return command(t, append([]string{"/bin/sh", "-c", script, "sh"}, args...)...)
}

func (j *job) grace(d time.Duration) {
	j.t.Helper()
	if err := os.WriteFile(j.lock, []byte(d.String()), 0o666); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) start() *job {
	j.t.Helper()
	if err := j.Start(); err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() {
		if j.ProcessState == nil {
			j.Process.Kill()
			j.Wait()
		}
	})
	return j
}

// end waits for the end and returns the wait status.
func (j *job) end() syscall.WaitStatus {
	j.t.Helper()
	timer := time.AfterFunc(patience30, func() { j.Process.Kill() })
	defer timer.Stop()
	j.Wait()
	return j.ProcessState.Sys().(syscall.WaitStatus)
}

func (j *job) run() syscall.WaitStatus {
	j.t.Helper()
	return j.start().end()
}

// pids returns the pid of the program under test, and the command's group; zeros before they are known.
func (j *job) pids() (pid, group int) {
	data, _ := os.ReadFile(j.lock + ".pids")
	fmt.Sscan(string(data), &pid, &group)
	return pid, group
}

func (j *job) group() (group int) {
	j.t.Helper()
	j.eventually("the leader to be started", func() bool {
		_, group = j.pids()
		return group > 1
	})
	return group
}

func (j *job) eventually(what string, ok func() bool) {
	j.t.Helper()
	eventually(j.t, what, ok)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience30); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// file makes a path in the lock's directory, for scripts to tell something.
func (j *job) file(name string) string { return filepath.Join(filepath.Dir(j.lock), name) }

func (j *job) eventuallyFile(name string) string {
	j.t.Helper()
	j.eventually("the file "+name, func() bool { return read(j.file(name)) != "" })
	return read(j.file(name))
}

func read(path string) string {
	data, _ := os.ReadFile(path)
	return strings.TrimSpace(string(data))
}

func wantCode(t *testing.T, status syscall.WaitStatus, code int) {
	t.Helper()
	if !status.Exited() || status.ExitStatus() != code {
		t.Errorf("ended with %s, want exit code %d", ending(status), code)
	}
}

func wantSignal(t *testing.T, status syscall.WaitStatus, sig syscall.Signal) {
	t.Helper()
	if !status.Signaled() || status.Signal() != sig {
		t.Errorf("ended with %s, want %v", ending(status), sig)
	}
}

func ending(s syscall.WaitStatus) string {
	if s.Signaled() {
		return fmt.Sprintf("signal %v", s.Signal())
	}
	return fmt.Sprintf("exit code %d", s.ExitStatus())
}

// wait makes the lock one that has to be waited for, until lift is called.
func (j *job) wait() (lift func()) {
	j.t.Helper()
	if err := os.WriteFile(j.lock+".wait", nil, 0o666); err != nil {
		j.t.Fatal(err)
	}
	return func() { os.Remove(j.lock + ".wait") }
}
