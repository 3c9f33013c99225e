package netlab

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A room is what a host has that is no kernel of its own, but namespaces on this machine's: for its name, its pids and its mounts.
type room struct {
	serving []serving // who serve its mounts
}

type serving struct {
	*Process
	kind    string
	answers *bufio.Reader
}

// Rooms opens a lab whose hosts are no kernels: they have this machine's, with its boot id and its clocks, and a name, pids and mounts of
// their own. It is for file systems in user space: "sshfs", and "fuse", which is fusetest's faultfs and passes everything on.
//
// Such a host is cut off by stopping the process that serves its mount, and without power by killing its first process, and with that
// all others. There are no dates to be shifted, and no packets.
func Rooms(tb testing.TB, clients ...string) *Lab {
	tb.Helper()
	l := Local(tb)
	Programs(tb, append(sshfsNeeds, [2]string{"unshare", "util-linux"})...)
	l.Share = wire.Dir + "/srv/share"
	l.Here.Must("mkdir", "-p", l.Share)
	l.Here.Must("chmod", "777", l.Share)
	l.sshFiles()
	l.Server = l.host("srv", 1)
	for i, name := range clients {
		l.clients = append(l.clients, l.host(name, i+2))
	}
	for _, h := range l.Hosts() {
		h.room = &room{}
		l.Here.Must("ip", "addr", "add", h.IP+"/32", "dev", "lo")
		l.Here.Must("ip", "addr", "add", h.Control()+"/32", "dev", "lo")
		h.power()
	}
	for _, h := range l.Hosts() {
		h.ready()
	}
	return l
}

// enter makes a room, whose first process serves the test. It is below one that ends when all in the room have ended.
func (h *Host) enter() {
	h.lab.tb.Helper()
	dir := h.lab.path(h.own())
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.RemoveAll(dir + "/ready")
	}
	if err != nil {
		h.lab.tb.Fatal(err)
	}
	first := `hostname "$0" && mount -t tmpfs run /run && `
	if h == h.lab.Server {
		first += `mkdir /run/sshd && "$(PATH=$PATH:/usr/sbin command -v sshd)" -f ` + sshDir + `/conf -E ` + sshDir + `/log && `
	}
	kernel, err := wire.Start(h.lab.path(wire.Socket), "", wire.Request{Args: []string{"unshare", "-u", "-p", "-f", "-m", "--mount-proc",
		"sh", "-c", first + `exec "$@"`, h.Name, wire.Agent, "serve", h.address, h.own() + "/ready"}})
	if err != nil {
		h.lab.tb.Fatalf("netlab: %s: %v", h.Name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kernel, h.mounts, h.room.serving = kernel, map[string]int{}, nil
}

// clear kills the first process of a room. The kernel kills all others then.
func (h *Host) clear() {
	h.lab.tb.Helper()
	h.mu.Lock()
	kernel := h.kernel
	h.mu.Unlock()
	if over(kernel) {
		return
	}
	pid := kernel.Pid
	h.lab.Here.Must("sh", "-c", fmt.Sprintf("kill -9 $(cat /proc/%d/task/%d/children)", pid, pid))
}

// serve has a process serve a mount.
func (h *Host) serve(kind, options, path string) {
	h.lab.tb.Helper()
	var cmd []string
	switch kind {
	case "fuse":
		cmd = []string{h.lab.faultfs(), h.lab.Share, path}
	case "sshfs":
		cmd = append([]string{"sshfs", "-f"}, sshfsWords(h.lab.Server.IP+":"+h.lab.Share, path, options)...)
	default:
		h.lab.tb.Fatalf("netlab: nothing is mounted as %q", kind)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // the server may not be there yet
		p := h.Start(nil, cmd...)
		h.mu.Lock()
		h.room.serving = append(h.room.serving, serving{p, kind, bufio.NewReader(p.Stdout)})
		h.mu.Unlock()
		mounted := func() bool {
			_, err := h.try("grep", "-q", " "+path+" fuse", "/proc/mounts")
			return err == nil
		}
		for !mounted() && !over(p) && time.Now().Before(end) {
			time.Sleep(20 * time.Millisecond)
		}
		if !over(p) && mounted() {
			return
		}
		if time.Now().After(end) {
			h.lab.tb.Fatalf("netlab: %s: %q mounts nothing", h.Name, cmd)
		}
	}
}

func over(p *Process) bool {
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}

// LoseReplies has a room's server carry out what changes anything, and answer that it failed, until it is called with false. By sshfs
// there are no such answers: the connection breaks, once.
func (h *Host) LoseReplies(lose bool) {
	h.mu.Lock()
	all := h.room.serving
	h.mu.Unlock()
	for _, p := range all {
		switch {
		case p.kind == "fuse":
			command := "heal\n"
			if lose {
				command = "add op=mkdir,create,write,unlink,rmdir,utimens fail=EIO after\n"
			}
			if _, err := io.WriteString(p.Stdin, command); err == nil { // else it is gone, with its room
				_, _ = p.answers.ReadString('\n')
			}
		case lose:
			// That there is none at this moment is no fault.
			_, _ = h.try("sh", "-c", fmt.Sprintf("kill $(cat /proc/%d/task/*/children)", p.Pid))
		}
	}
}

// faultfs builds that program, once.
func (l *Lab) faultfs() string {
	l.tb.Helper()
	l.mu.Lock()
	there := l.passing
	l.mu.Unlock()
	if there != "" {
		return there
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/aac6cccc/mkdirlock").Output()
	if err != nil {
		l.tb.Fatal(err)
	}
	here, there := l.place("faultfs")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", here, "./cmd/faultfs")
	build.Dir = strings.TrimSpace(string(root)) + "/fusetest" // a module of its own
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		l.tb.Fatalf("netlab: %s: %v\n%s", build, err, out)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passing = there
	return there
}

// stop sends a signal to who serves the mounts.
func (h *Host) stop(sig syscall.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.room.serving {
		_ = p.Signal(sig) // it may be gone, with its room
	}
}
