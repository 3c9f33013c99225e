package containerlab

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A Spec says how a container differs from one without a network, with a writable root and namespaces of its own.
type Spec struct {
	Hostname string   // "": as the runtime likes
	Network  string   // "host": the lab's. "": none
	UTS      string   // "host": the lab's host name
	PID      string   // "host": the lab's pids; "container:NAME": another one's
	Volumes  []string // such as "/here:/there" or "/here:/there:ro"
	Tmpfs    []string // where memory is mounted
	ReadOnly bool     // its root
	User     string   // such as "1000:1000". "": root
	Env      []string // "NAME=value"
	Flags    []string // what else the engine is told
}

// A Container is one that an engine has made. It can be started again after its end, under the same name.
type Container struct {
	*Engine
	Name string
	ID   string // 64 digits
}

// Create makes a container that will run a command with a pipe to its input, and does not start it.
func (e *Engine) Create(s Spec, cmd ...string) *Container {
	e.lab.tb.Helper()
	e.mu.Lock()
	e.named++
	c := &Container{Engine: e, Name: fmt.Sprintf("%s-%d", e.Engine, e.named)}
	e.mu.Unlock()
	args := []string{"create", "--interactive", "--name", c.Name}
	flag := func(name, value string) {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	if s.Network == "" {
		s.Network = "none"
	}
	flag("hostname", s.Hostname)
	flag("network", s.Network)
	flag("uts", s.UTS)
	flag("pid", s.PID)
	flag("user", s.User)
	for _, v := range s.Volumes {
		flag("volume", v)
	}
	for _, at := range s.Tmpfs {
		flag("tmpfs", at)
	}
	for _, v := range s.Env {
		flag("env", v)
	}
	if s.ReadOnly {
		args = append(args, "--read-only")
	}
	if e.Engine != "docker" {
		// Podman would set limits that are higher than what may be had without CAP_SYS_RESOURCE.
		flag("ulimit", "nproc=1000:1000")
		if hard := limit(unix.RLIMIT_NOFILE); hard > 0 {
			flag("ulimit", fmt.Sprintf("nofile=%d:%d", min(1024, hard), hard))
		}
		if e.lab.cfg.CgroupV2 { // where the kernel has no controllers for it
			flag("cgroups", "disabled")
		}
	}
	args = append(append(append(args, s.Flags...), image), cmd...)
	c.ID = e.Must(args...)
	return c
}

// Run makes a container, runs it to its end and returns what it printed; the test fails unless its exit code is 0.
func (e *Engine) Run(s Spec, cmd ...string) (*Container, string) {
	e.lab.tb.Helper()
	c := e.Create(s, cmd...)
	return c, e.Must("start", "--attach", c.Name)
}

// Words makes a container that serves the words of package proctest by these settings; see [Container.Proc].
func (e *Engine) Words(cfg proctest.Config, s Spec) *Container {
	e.lab.tb.Helper()
	cfg.ID = fmt.Sprintf("%s %d", e.Kind, time.Now().UnixNano())
	text, err := json.Marshal(cfg)
	if err != nil {
		e.lab.tb.Fatal(err)
	}
	s.Env = append(s.Env, proctest.Variable+"="+string(text))
	return e.Create(s, Program(), "words")
}

// Proc starts a container that serves words, or starts it again, and returns it as a child of the test. The process that dies when
// the child is killed is the engine's client, and with it the child, whose input ends: [Container.Kill] is for a crash.
func (c *Container) Proc(t testing.TB, cfg proctest.Config) *proctest.Proc {
	t.Helper()
	return proctest.Start(t, cfg, proctest.Under(c.lab.but(append(c.cli, "start", "--attach", "--interactive", c.Name)...)...))
}

// Kill kills the container's first process, and with it all.
func (c *Container) Kill() {
	c.lab.tb.Helper()
	c.Must("kill", "--signal", "KILL", c.Name)
}

// Pause freezes all processes of the container.
func (c *Container) Pause() {
	c.lab.tb.Helper()
	c.Must("pause", c.Name)
}

// Unpause has them go on.
func (c *Container) Unpause() {
	c.lab.tb.Helper()
	c.Must("unpause", c.Name)
}

// Running reports whether the engine takes the container for running.
func (c *Container) Running() bool {
	out, err := c.Try("inspect", "--format", "{{.State.Running}}", c.Name)
	return err == nil && out == "true"
}

// Exec runs a command in the running container and returns what it printed.
func (c *Container) Exec(cmd ...string) string {
	c.lab.tb.Helper()
	return c.Must(append([]string{"exec", c.Name}, cmd...)...)
}
