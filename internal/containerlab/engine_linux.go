package containerlab

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A Kind is an engine with the storage driver of its layers and the OCI runtime that starts its containers.
type Kind struct {
	Engine  string // "docker", "podman" (started by root) or "rootless" (Podman, started by a user who is nobody else)
	Storage string // "overlay", "vfs", or Podman's "fuse-overlayfs". "": "overlay"
	OCI     string // "runc" or "crun". "": what the engine has by default, which is runc for Docker and crun for Podman
}

// The engines as their users have them mostly.
var (
	Docker   = Kind{Engine: "docker"}
	Podman   = Kind{Engine: "podman"}
	Rootless = Kind{Engine: "rootless"}
)

func (k Kind) String() string {
	return strings.Join(slices.DeleteFunc([]string{k.Engine, k.Storage, k.OCI}, func(s string) bool { return s == "" }), "-")
}

// image is the name of the only image that there is.
const image = "lab"

// An Engine is Docker Engine with a daemon of the lab's own, or Podman, which has none.
type Engine struct {
	Kind

	lab   *Lab
	cli   []string // the words of a command line before the subcommand
	start sync.Once
	err   error
	uid   int // who runs it

	mu    sync.Mutex
	named int // so many containers were given a name
}

// Engine returns the engine of that kind, and starts it first if it has not been asked for.
func (l *Lab) Engine(kind Kind) *Engine {
	l.tb.Helper()
	l.mu.Lock()
	e := l.engines[kind]
	if e == nil {
		e = &Engine{Kind: kind, lab: l}
		if kind.Engine == "rootless" {
			e.uid = 4000 + len(l.engines)
		}
		l.engines[kind] = e
	}
	l.mu.Unlock()
	e.start.Do(func() { e.err = e.begin() })
	if e.err != nil {
		l.tb.Fatalf("containerlab: %s cannot be started: %v", kind, e.err)
	}
	return e
}

// begin starts the daemon if there is one, and imports the image.
func (e *Engine) begin() error {
	if e.Storage == "" {
		e.Storage = "overlay"
	}
	tarball, err := e.lab.tree()
	if err != nil {
		return err
	}
	switch e.Engine {
	case "docker":
		err = e.docker()
	case "podman":
		err = e.podman()
	case "rootless":
		err = e.rootless()
	default:
		err = fmt.Errorf("no engine %q", e.Engine)
	}
	if err != nil {
		return err
	}
	_, err = e.Try("import", tarball, image)
	return err
}

// docker starts a daemon that makes no network and touches no rule of the firewall.
func (e *Engine) docker() error {
	name := e.Kind.String()
	data, run := "/var/lib/"+name+"/docker", "/run/"+name
	driver := e.Storage
	if driver == "overlay" {
		driver = "overlay2"
	}
	config := e.lab.Dir + "/" + name + ".json"
	if err := os.WriteFile(config, []byte("{}"), 0o644); err != nil {
		return err
	}
	log, err := os.Create(e.lab.Dir + "/" + name + ".log")
	if err != nil {
		return err
	}
	defer log.Close()
	socket := run + ".sock"
	args := []string{"dockerd", "--config-file", config, "--data-root", data, "--exec-root", run, "-p", run + ".pid", "-H", "unix://" + socket,
		"--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--storage-driver", driver}
	if hard := limit(unix.RLIMIT_NOFILE); hard > 0 {
		args = append(args, fmt.Sprintf("--default-ulimit=nofile=%d:%d", min(1024, hard), hard))
	}
	words := e.lab.In(args...)
	daemon := exec.Command(words[0], words[1:]...)
	daemon.Stdout, daemon.Stderr = log, log
	if err := daemon.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	e.cli = []string{"docker", "-H", "unix://" + socket}
	return e.lab.serves(ended, func() bool { _, err := e.Try("version"); return err == nil })
}

// podman keeps everything under directories of its own.
func (e *Engine) podman() error {
	name := e.Kind.String()
	e.cli = append([]string{"podman", "--root", "/var/lib/" + name + "/containers/storage", "--runroot", "/run/" + name, "--tmpdir", "/run/" + name + "/libpod"}, e.flags()...)
	return nil
}

// rootless makes a user of the lab's, with ids to map.
func (e *Engine) rootless() error {
	user, home, run := e.Kind.String(), "/home/"+e.Kind.String(), fmt.Sprintf("/run/user/%d", e.uid)
	script := fmt.Sprintf("set -e; echo '%[1]s:x:%[2]d:%[2]d::%[3]s:/bin/sh' >>/etc/passwd; echo '%[1]s:x:%[2]d:' >>/etc/group\n"+
		"echo %[1]s:%[5]d:65536 >>/etc/subuid; echo %[1]s:%[5]d:65536 >>/etc/subgid\n"+
		"mkdir -p %[3]s %[4]s; chmod 700 %[4]s; chown %[2]d:%[2]d %[3]s %[4]s", user, e.uid, home, run, 100000+65536*(e.uid-4000))
	if _, err := e.lab.Try("sh", "-c", script); err != nil {
		return err
	}
	e.cli = append([]string{"setpriv", fmt.Sprint("--reuid=", e.uid), fmt.Sprint("--regid=", e.uid), "--clear-groups", "--",
		"env", "-C", home, "HOME=" + home, "USER=" + user, "XDG_RUNTIME_DIR=" + run, "podman"}, e.flags()...)
	return nil
}

// flags are what Podman is told each time.
func (e *Engine) flags() []string {
	oci := e.OCI
	if oci == "" {
		oci = "crun"
	}
	flags := []string{"--cgroup-manager=cgroupfs", "--runtime=" + oci}
	if e.Storage == "fuse-overlayfs" {
		return append(flags, "--storage-driver=overlay", "--storage-opt=overlay.mount_program=/usr/bin/fuse-overlayfs")
	}
	return append(flags, "--storage-driver="+e.Storage)
}

// limit is how far a limit can be raised here, 0 for as far as one likes: engines set limits of their own, and fail where those are
// higher.
func limit(resource int) uint64 {
	var r unix.Rlimit
	if err := unix.Getrlimit(resource, &r); err != nil || r.Max == unix.RLIM_INFINITY {
		return 0
	}
	return r.Max
}

// Try runs a subcommand of the engine's command line in the lab, from any goroutine.
func (e *Engine) Try(args ...string) (string, error) { return e.lab.Try(slices.Concat(e.cli, args)...) }

// Must is Try; the test fails if the command does.
func (e *Engine) Must(args ...string) string {
	e.lab.tb.Helper()
	return e.lab.Must(slices.Concat(e.cli, args)...)
}
