package main

import (
	"bytes"
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
)

var binary string // the command, built once

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == forget {
		os.Exit(forgetful(os.Args[2], os.Args[3]))
	}
	dir, err := os.MkdirTemp("", "dirlock-command-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "dirlock")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// result is how one run of the command ended.
type result struct {
	code        int
	out, stderr string
}

func dirlockCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "DIRLOCK_WAIT=", "DIRLOCK_STALE=", "DIRLOCK_HEARTBEAT=")
	return cmd
}

// runDirlock runs the command to its end.
func runDirlock(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, dirlockCommand(t, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

func (r result) want(t *testing.T, code int, stderr ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; stderr: %s", r.code, code, r.stderr)
	}
	for _, s := range stderr {
		if !strings.Contains(r.stderr, s) {
			t.Errorf("stderr does not say %q: %s", s, r.stderr)
		}
	}
}

// eventually polls a condition, with a bound that only a fault exceeds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 60*time.Second {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// start runs the command in the background; it is killed when the test ends.
func start(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestRunExitCodes(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, "jobs.lock")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		code   int
		stderr string
	}{
		"own":            {[]string{"run", lock, "--", "sh", "-c", "exit 7"}, 7, ""},
		"success":        {[]string{"run", lock, "--", "true"}, 0, ""},
		"not found":      {[]string{"run", lock, "--", "no-such-command-at-all"}, 127, "no-such-command-at-all"},
		"not executable": {[]string{"run", lock, "--", file}, 126, file},
		"no path":        {[]string{"run"}, 2, "PATH is missing"},
		"no command":     {[]string{"run", lock}, 2, "CMD is missing"},
		"bad duration":   {[]string{"run", "--stale", "soon", lock, "--", "true"}, 2, "soon"},
		"bad settings":   {[]string{"run", "--stale", "1s", "--heartbeat", "1s", lock, "--", "true"}, 2, "1s"},
		"no parent":      {[]string{"run", filepath.Join(dir, "no", "lock"), "--", "true"}, 74, "no such file"},
		"not a lock":     {[]string{"run", file, "--", "true"}, 74, "not a lock"},
	} {
		t.Run(name, func(t *testing.T) {
			runDirlock(t, c.args...).want(t, c.code, c.stderr)
			if exists(lock) {
				t.Error("the lock is left behind")
			}
		})
	}
	t.Run("environment", func(t *testing.T) {
		cmd := dirlockCommand(t, "run", lock, "--", "true")
		cmd.Env = append(cmd.Env, "DIRLOCK_STALE=never")
		finish(t, cmd).want(t, 2, "DIRLOCK_STALE", "never")
	})
}

func TestHeldAndStatus(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "jobs.lock")
	runDirlock(t, "status", lock).want(t, 0)
	holder := start(t, dirlockCommand(t, "run", "--note", "the night shift", lock, "--", "sleep", "300"))
	eventually(t, "the lock is held", func() bool { return runDirlock(t, "status", lock).code == 1 })

	r := runDirlock(t, "run", "--wait", "300ms", lock, "--", "true")
	r.want(t, 75, fmt.Sprintf("pid %d", holder.Process.Pid), "the night shift", "heartbeat", "verdict")
	runDirlock(t, "run", "--wait", "0", lock, "--", "true").want(t, 75)

	var o struct {
		Path    string
		State   string
		Holder  map[string]any
		Age     *float64 `json:"heartbeat_age_seconds"`
		Verdict *string
		Reason  *string
	}
	r = runDirlock(t, "status", "--json", lock)
	r.want(t, 1)
	d := json.NewDecoder(strings.NewReader(r.out))
	if err := d.Decode(&o); err != nil || d.More() {
		t.Fatalf("not one JSON object: %v: %s", err, r.out)
	}
	if o.Path != lock || o.State != "held" || o.Age == nil || o.Verdict == nil || o.Reason == nil {
		t.Errorf("%s", r.out)
	}
	if o.Holder["pid"] != float64(holder.Process.Pid) || o.Holder["note"] != "the night shift" || o.Holder["program"] != "dirlock" {
		t.Errorf("holder: %v", o.Holder)
	}
	for _, key := range []string{"token", "host", "boot", "pidns", "since", "container"} {
		if _, ok := o.Holder[key]; !ok {
			t.Errorf("holder lacks %q: %v", key, o.Holder)
		}
	}

	holder.Process.Signal(syscall.SIGTERM)
	holder.Wait()
	eventually(t, "the lock is released", func() bool { return runDirlock(t, "status", lock).code == 0 })
	r = runDirlock(t, "status", "--json", lock)
	if !strings.Contains(r.out, `"holder":null`) && !strings.Contains(r.out, `"holder": null`) {
		t.Errorf("free, with a holder: %s", r.out)
	}

	os.WriteFile(lock, nil, 0o600)
	runDirlock(t, "status", lock).want(t, 2)
	runDirlock(t, "status", filepath.Join(lock, "x", "y")).want(t, 2)
}

// A stamp that is removed from outside: the command is told, ended, and the exit code says so.
func TestLossEndsTheCommand(t *testing.T) {
	dir := t.TempDir()
	lock := filepath.Join(dir, "jobs.lock")
	log := filepath.Join(dir, "log")
	script := fmt.Sprintf(`trap 'echo told >>%s' TERM; echo ready >>%[1]s; while :; do sleep 0.1; done`, log)
	cmd := dirlockCommand(t, "run", "--heartbeat", "200ms", "--stale", "3s", lock, "--", "sh", "-c", script)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start(t, cmd)
	eventually(t, "the command runs", func() bool { b, _ := os.ReadFile(log); return len(b) > 0 })
	names, err := filepath.Glob(lock + "/dirlock-*")
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // it ignores SIGTERM, so that only SIGKILL ends it
	if code := cmd.ProcessState.ExitCode(); code != 76 || !strings.Contains(stderr.String(), "lost") {
		t.Errorf("exit code %d, stderr %s", code, &stderr)
	}
	if b, _ := os.ReadFile(log); !strings.Contains(string(b), "told") {
		t.Errorf("the command got no SIGTERM: %q", b)
	}
}

// dirlock is killed, and a grandchild of the command goes on: nobody gets the lock while it lives, and a waiter soon after.
func TestCommandDoesNotOutliveItsProtection(t *testing.T) {
	for name, prefix := range map[string][]string{
		"plain":          nil,
		"another's uid":  {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"},
		"through a pipe": {"sh", "-c", `"$@" | cat`, "sh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			for up := filepath.Dir(dir); len(up) > len(os.TempDir()); up = filepath.Dir(up) {
				os.Chmod(up, 0o755) // so that another uid gets here
			}
			lock, log := filepath.Join(dir, "jobs.lock"), filepath.Join(dir, "log")
			script := fmt.Sprintf(`(while :; do date >>%s; sleep 0.1; done)& wait`, log)
			args := append([]string{"run", "--heartbeat", "200ms", "--stale", "5s", lock, "--"}, prefix...)
			holder := start(t, dirlockCommand(t, append(args, "sh", "-c", script)...))
			eventually(t, "the command runs", func() bool { return exists(log) })
			pgid := groupOf(t, lock)
			t.Cleanup(func() { syscall.Kill(-pgid, syscall.SIGKILL) })
			if err := holder.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			holder.Wait()

			// By now the owner itself is dead by the kernel, its heartbeat old. A waiter for 4 s must not get it.
			r := runDirlock(t, "run", "--heartbeat", "200ms", "--stale", "5s", "--wait", "4s", lock, "--", "true")
			r.want(t, 75)
			before, _ := os.ReadFile(log)
			eventually(t, "the log grows", func() bool { b, _ := os.ReadFile(log); return len(b) > len(before) })

			if err := syscall.Kill(-pgid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			runDirlock(t, "run", "--heartbeat", "200ms", "--stale", "5s", "--wait", "60s", lock, "--", "true").want(t, 0)
			if took := time.Since(began); took > 20*time.Second { // 5 s on a machine of its own
				t.Errorf("repaired after %v", took)
			}
			if exists(lock) {
				t.Error("left behind")
			}
		})
	}
}

// groupOf reads the process group from the stamp's name.
func groupOf(t *testing.T, lock string) int {
	t.Helper()
	names, err := filepath.Glob(lock + "/dirlock-*")
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	var group int
	if _, err := fmt.Sscan(strings.Split(filepath.Base(names[0]), ".")[7], &group); err != nil || group <= 1 {
		t.Fatalf("no process group in %s: %v", names[0], err)
	}
	return group
}
