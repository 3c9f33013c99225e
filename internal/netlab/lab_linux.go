package netlab

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A Lab is a server and its clients. Its methods, and its hosts', fail the test when something goes wrong that a test does not
// provoke; those that return an error leave that to the caller, and may be called from any goroutine.
type Lab struct {
	// Server is the host that exports Share. Its own name is "srv".
	Server *Host

	// Share is the exported directory as the server itself has it, on ext4: what is mounted as nfs4, nfs3 and smb, all
	// at once if a test likes.
	Share string

	// Here is this machine's own kernel, in the lab's namespaces.
	Here *Place

	tb      testing.TB
	cfg     Config
	root    string // the lab's directory, as this machine reaches it
	clients []*Host

	mu      sync.Mutex
	files   int    // so many were pushed
	passing string // faultfs, where it is built
}

// Start boots a lab of this kind; see the function of that name.
func (c Config) Start(tb testing.TB) *Lab {
	tb.Helper()
	Need(tb)
	if c.Lease == 0 {
		c.Lease = 10 * time.Second
	}
	c.kernel(tb)
	if len(c.Clients) < 1 || len(c.Clients) > 6 {
		tb.Fatalf("netlab: %d clients", len(c.Clients))
	}
	l := &Lab{tb: tb, cfg: c, Share: wire.Export}
	l.open()
	l.Server = l.host("srv", 1)
	for i, name := range c.Clients {
		l.clients = append(l.clients, l.host(name, i+2))
	}
	for _, h := range l.Hosts() {
		h.plug()
		h.power()
	}
	for _, h := range l.Hosts() {
		h.ready()
	}
	return l
}

// Local opens a lab without hosts: namespaces of mounts, network and pids on this machine's own kernel, for file systems that it
// has itself. Only root can. The test skips as in [Start].
func Local(tb testing.TB) *Lab {
	tb.Helper()
	Want(tb)
	if os.Getuid() != 0 {
		tb.Fatal("netlab: only root can make a lab's namespaces")
	}
	Programs(tb, [2]string{"ip", "iproute2"}, [2]string{"mount", "mount"}, [2]string{"go", "golang"})
	l := &Lab{tb: tb}
	l.open()
	return l
}

// open makes the lab's namespaces, and ends them when the test ends.
func (l *Lab) open() {
	l.tb.Helper()
	dir, err := os.MkdirTemp("", "netlab-")
	if err != nil {
		l.tb.Fatal(err)
	}
	defer os.RemoveAll(dir) // a copy in the lab is what runs
	agent := filepath.Join(dir, "agent")
	compile(l.tb, "build", agent, "github.com/aac6cccc/mkdirlock/internal/netlab/agent")
	cmd := exec.Command(agent, "lab")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	out, outW, err := os.Pipe()
	if err != nil {
		l.tb.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = outW, outW
	// Closed by us, or by the kernel when this process is gone, it ends the lab.
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	outW.Close()
	if err != nil {
		l.tb.Fatalf("netlab: %v", err)
	}
	l.tb.Cleanup(func() {
		if l.tb.Failed() {
			l.tell()
		}
		in.Close()
		cmd.Wait()
	})
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			fmt.Fprintln(os.Stderr, "netlab:", lines.Text())
		}
	}()
	l.root = fmt.Sprintf("/proc/%d/root%s", cmd.Process.Pid, wire.Dir)
	l.Here = &Place{Name: "here", lab: l, gone: func() <-chan struct{} { return nil }}
	l.until(10*time.Second, "its agent serves", func() bool {
		_, err := os.Stat(l.path(wire.Dir + "/ready"))
		return err == nil
	})
}

// tell logs what the kernels and their first processes said.
func (l *Lab) tell() {
	for _, h := range l.Hosts() {
		for _, name := range []string{"/console.log", "/init.log"} {
			text, _ := os.ReadFile(l.path(h.own()) + name)
			l.tb.Logf("%s%s:\n%s", h.Name, name, text)
		}
	}
}

// path is how this machine reaches a file of the lab's directory.
func (l *Lab) path(inLab string) string { return l.root + inLab[len(wire.Dir):] }

// until waits for a condition, and fails the test with what the consoles say if it does not come.
func (l *Lab) until(bound time.Duration, what string, condition func() bool) {
	l.tb.Helper()
	for end := time.Now().Add(bound); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.tb.Fatalf("netlab: not within %v: %s", bound, what)
		}
	}
}

// Client returns the client of that name.
func (l *Lab) Client(name string) *Host {
	l.tb.Helper()
	for _, h := range l.clients {
		if h.Name == name {
			return h
		}
	}
	l.tb.Fatalf("netlab: no client %q", name)
	return nil
}

// Clients returns all clients, in the order in which they were named.
func (l *Lab) Clients() []*Host { return l.clients }

// Hosts returns the server and all clients.
func (l *Lab) Hosts() []*Host {
	if l.Server == nil {
		return nil
	}
	return append([]*Host{l.Server}, l.clients...)
}

// do runs a command among the lab's kernels.
func (l *Lab) do(cmd ...string) error {
	_, err := l.Here.try(cmd...)
	return err
}
