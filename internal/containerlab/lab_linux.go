package containerlab

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
)

// A Lab is where the daemons and the containers of a test live. Its methods fail the test when something goes wrong that a test does
// not provoke.
type Lab struct {
	// Dir is a directory of the lab, which is there under this name in the lab and outside.
	Dir string

	tb  testing.TB
	cfg Config

	mu      sync.Mutex
	engines map[Kind]*Engine
	roots   int // so many root file systems were made
	image   string
}

// Start makes a lab, and unmakes it when the test ends. The test skips unless the environment asks for the lab, and fails where the
// machine lacks something.
func Start(tb testing.TB) *Lab {
	tb.Helper()
	return StartWith(tb, Config{})
}

// StartWith is [Start] for another lab than the usual one.
func StartWith(tb testing.TB, cfg Config) *Lab {
	tb.Helper()
	Need(tb)
	text, err := json.Marshal(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	program, err := agent()
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "containerlab-")
	if err != nil {
		tb.Fatal(err)
	}
	defer os.RemoveAll(dir) // a copy in the lab's directory is what runs
	path := filepath.Join(dir, "agent")
	// A child that is forked meanwhile would have the file open for writing, and then it could not be run.
	syscall.ForkLock.RLock()
	err = os.WriteFile(path, program, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(path, "keep", string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what the terminal sends to a test is not for it
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	// Closed by us, or by the kernel when this process is gone, it ends the lab.
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	l := &Lab{tb: tb, cfg: cfg, engines: map[Kind]*Engine{}}
	tb.Cleanup(func() {
		if tb.Failed() {
			l.tell()
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			tb.Errorf("containerlab: it did not end well: %v: %s", err, said.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if l.Dir = strings.TrimSpace(strings.TrimPrefix(line, wire.Ready)); err != nil || l.Dir == "" {
		tb.Fatalf("containerlab: no lab: %q, %v", line, err)
	}
	return l
}

// tell logs what the daemons said last.
func (l *Lab) tell() {
	logs, _ := filepath.Glob(l.Dir + "/*.log")
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		l.tb.Logf("%s:\n%s", filepath.Base(log), text[max(0, len(text)-5000):])
	}
}

// In returns a command line that runs a command in the lab: in its network, among its mounts and its pids.
func (l *Lab) In(cmd ...string) []string {
	return slices.Concat([]string{wire.Agent(l.Dir), "in", l.Dir}, cmd)
}

// but is In for who adds a last word that the command has no use for: proctest.Under adds the test binary.
func (l *Lab) but(cmd ...string) []string {
	return slices.Concat([]string{wire.Agent(l.Dir), "first", l.Dir}, cmd)
}

// Must runs a command in the lab for up to a minute and returns what it printed, without the last line's end; the test fails
// unless its exit code is 0.
func (l *Lab) Must(cmd ...string) string {
	l.tb.Helper()
	out, err := l.Try(cmd...)
	if err != nil {
		l.tb.Fatal(err)
	}
	return out
}

// Try is Must for what may fail, and for any goroutine.
func (l *Lab) Try(cmd ...string) (string, error) {
	words := l.In(cmd...)
	c := exec.Command(words[0], words[1:]...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	c.WaitDelay = time.Second // a daemon that it left behind may keep them open for ever
	if err := c.Start(); err != nil {
		return "", err
	}
	slow := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	defer slow.Stop()
	if err := c.Wait(); err != nil {
		return "", fmt.Errorf("%q: %w: %s%s", cmd, err, out.String(), errs.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// serves waits until a daemon answers. Its end is an error.
func (l *Lab) serves(ended <-chan error, answers func() bool) error {
	for end := time.Now().Add(time.Minute); !answers(); {
		select {
		case err := <-ended:
			return fmt.Errorf("the daemon has ended: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			return errors.New("the daemon does not answer")
		}
	}
	return nil
}

// agent is the agent's program, compiled so that it needs nothing of where it runs.
var agent = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "containerlab-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "agent")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "github.com/aac6cccc/mkdirlock/internal/containerlab/agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("containerlab: %s: %w\n%s", cmd, err, out)
	}
	return os.ReadFile(path)
})
