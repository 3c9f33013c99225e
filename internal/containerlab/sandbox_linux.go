package containerlab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// Sandboxes are the runtimes that have no engine: one command starts a container, and its end is the container's.
var Sandboxes = []string{"unshare", "bwrap", "nspawn", "lxc"}

// Sandbox returns a command line, in the lab, that runs the rest of it in a new container of such a runtime. Of the Spec count Hostname, Volumes, Tmpfs, ReadOnly,
// PID "host", and Flags: what unshare, bwrap and nspawn are told besides, and lines of configuration for lxc.
func (l *Lab) Sandbox(runtime string, s Spec) []string {
	l.tb.Helper()
	root, err := l.rootfs()
	if err != nil {
		l.tb.Fatal(err)
	}
	words, err := sandboxes[runtime](l, root, s)
	if err != nil {
		l.tb.Fatalf("containerlab: %s: %v", runtime, err)
	}
	return words
}

// Words starts a child of the test in a container of such a runtime.
func (l *Lab) Words(t testing.TB, cfg proctest.Config, runtime string, s Spec) *proctest.Proc {
	t.Helper()
	if runtime == "lxc" { // which passes on what is named, and wants it to be there
		s.Flags = append(slices.Clone(s.Flags), "lxc.environment = "+proctest.Variable)
	}
	return proctest.Start(t, cfg, proctest.Under(l.but(append(l.Sandbox(runtime, s), Program(), "words")...)...))
}

var sandboxes = map[string]func(l *Lab, root string, s Spec) ([]string, error){
	"unshare": unshare,
	"bwrap":   bwrap,
	"nspawn":  nspawn,
	"lxc":     lxc,
}

// unshare is by hand what the others do: namespaces, mounts, a root.
func unshare(_ *Lab, root string, s Spec) ([]string, error) {
	words := []string{"unshare", "--mount", "--uts", "--ipc", "--net"}
	script := []string{"set -e"}
	if s.PID != "host" {
		words = append(words, "--pid", "--fork", "--kill-child")
		script = append(script, "mount -t proc proc "+root+"/proc")
	} else {
		script = append(script, "mount --rbind /proc "+root+"/proc")
	}
	words = append(words, s.Flags...)
	if s.Hostname != "" {
		script = append(script, "hostname "+s.Hostname)
	}
	for _, v := range s.Volumes {
		from, to, options, err := volume(v)
		if err != nil {
			return nil, err
		}
		script = append(script, "mkdir -p "+root+to, "mount --bind "+from+" "+root+to)
		if options == "ro" {
			script = append(script, "mount -o remount,bind,ro "+root+to)
		}
	}
	for _, at := range s.Tmpfs {
		script = append(script, "mkdir -p "+root+at, "mount -t tmpfs tmpfs "+root+at)
	}
	if s.ReadOnly {
		return nil, fmt.Errorf("no read-only root")
	}
	script = append(script, `exec chroot `+root+` "$@"`)
	return append(words, "sh", "-c", strings.Join(script, "\n"), "sh"), nil
}

func bwrap(_ *Lab, root string, s Spec) ([]string, error) {
	words := []string{"bwrap"}
	if s.ReadOnly {
		words = append(words, "--ro-bind", root, "/")
	} else {
		words = append(words, "--bind", root, "/")
	}
	words = append(words, "--dev", "/dev", "--unshare-ipc", "--unshare-net", "--unshare-cgroup", "--die-with-parent")
	if s.PID != "host" {
		words = append(words, "--unshare-pid", "--as-pid-1")
	}
	if !slices.Contains(s.Flags, "--proc") {
		words = append(words, "--proc", "/proc")
	}
	if s.Hostname != "" {
		words = append(words, "--unshare-uts", "--hostname", s.Hostname)
	}
	for _, v := range s.Volumes {
		from, to, options, err := volume(v)
		if err != nil {
			return nil, err
		}
		words = append(words, map[string]string{"": "--bind", "ro": "--ro-bind"}[options], from, to)
	}
	for _, at := range s.Tmpfs {
		words = append(words, "--tmpfs", at)
	}
	return append(words, s.Flags...), nil
}

func nspawn(_ *Lab, root string, s Spec) ([]string, error) {
	words := []string{"systemd-nspawn", "--quiet", "--directory", root, "--machine", machine(root), "--register=no", "--keep-unit", "--pipe",
		"--private-network", "--setenv=" + proctest.Variable}
	if s.Hostname != "" {
		words = append(words, "--hostname="+s.Hostname)
	}
	if s.ReadOnly {
		words = append(words, "--read-only")
	}
	if s.PID == "host" {
		return nil, fmt.Errorf("it has no such option")
	}
	for _, v := range s.Volumes {
		from, to, options, err := volume(v)
		if err != nil {
			return nil, err
		}
		words = append(words, map[string]string{"": "--bind=", "ro": "--bind-ro="}[options]+from+":"+to)
	}
	for _, at := range s.Tmpfs {
		words = append(words, "--tmpfs="+at)
	}
	return append(words, s.Flags...), nil
}

func lxc(l *Lab, root string, s Spec) ([]string, error) {
	name := machine(root)
	base := filepath.Dir(root)
	lines := []string{"lxc.rootfs.path = dir:" + root, "lxc.uts.name = " + name, "lxc.net.0.type = empty", "lxc.mount.auto = proc:mixed sys:ro",
		"lxc.apparmor.profile = unconfined"}
	if s.Hostname != "" {
		lines[1] = "lxc.uts.name = " + s.Hostname
	}
	if s.PID == "host" {
		return nil, fmt.Errorf("lxc-execute has no such option")
	}
	if l.cfg.MachinePIDs {
		return nil, fmt.Errorf("it goes by the cgroup of pid 1, which is outside the lab")
	}
	if s.ReadOnly {
		lines = append(lines, "lxc.rootfs.options = ro")
	}
	for _, v := range s.Volumes {
		from, to, options, err := volume(v)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("lxc.mount.entry = %s %s none bind,create=dir,%s 0 0", from, to[1:], map[string]string{"": "rw", "ro": "ro"}[options]))
	}
	for _, at := range s.Tmpfs {
		lines = append(lines, fmt.Sprintf("lxc.mount.entry = tmpfs %s tmpfs create=dir 0 0", at[1:]))
	}
	lines = append(append(lines, s.Flags...), "")
	config := base + "/config"
	if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		return nil, err
	}
	return []string{"lxc-execute", "--lxcpath", base, "--name", name, "--rcfile", config, "--logfile", l.Dir + "/lxc.log", "--"}, nil
}

// machine is a container's name, which its root file system's directory makes unique.
func machine(root string) string { return "lab" + filepath.Base(filepath.Dir(root)) }

func volume(v string) (from, to, options string, err error) {
	parts := strings.Split(v, ":")
	if len(parts) < 2 || len(parts) > 3 || len(parts) == 3 && parts[2] != "ro" {
		return "", "", "", fmt.Errorf("not a volume: %q", v)
	}
	if len(parts) == 3 {
		options = parts[2]
	}
	return parts[0], parts[1], options, nil
}

// Here starts a child of the test in the lab's own namespaces, in no container: what a container that has the host's pids has.
func (l *Lab) Here(t testing.TB, cfg proctest.Config) *proctest.Proc {
	t.Helper()
	return proctest.Start(t, cfg, proctest.Under(l.but(wire.Agent(l.Dir), "words")...))
}
