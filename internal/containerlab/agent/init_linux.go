package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/containerlab/wire"
)

// initLab is the first process of a lab. All that daemons write to is made the lab's own before any of them runs.
func initLab(dir, text string) error {
	var cfg wire.Config
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		return err
	}
	all, err := hierarchies("")
	if err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"make the mounts private", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"mount /proc", func() error { return mountProc(cfg) }},
		{"mount /run", func() error { return unix.Mount("run", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755") }},
		{"/var/lib", func() error { return unix.Mount(dir+"/var", "/var/lib", "", unix.MS_BIND, "") }},
		{"/home", func() error { return unix.Mount(dir+"/home", "/home", "", unix.MS_BIND, "") }},
		{"/etc", func() error {
			return unix.Mount("etc", "/etc", "overlay", 0, "lowerdir=/etc,upperdir="+dir+"/etc,workdir="+dir+"/etc.work")
		}},
		{"mount the cgroups", func() error { return mountCgroups(cfg, all) }},
		{"/dev/fuse", func() error { return fuse(dir + "/fuse") }},
		{"lo", loopback},
		{"settings", settings},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	fmt.Println(wire.Ready)
	return reap()
}

// mountProc shows the lab's pids, if it has pids of its own.
func mountProc(cfg wire.Config) error {
	if cfg.MachinePIDs {
		return nil
	}
	return unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
}

const cgroups = "/sys/fs/cgroup"

// mountCgroups mounts the hierarchies anew, now that their roots are the lab's. The former ones must not be there any more: whoever reads the
// table of mounts would take them for the true ones.
func mountCgroups(cfg wire.Config, all []hierarchy) error {
	if err := unix.Unmount(cgroups, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount %s: %w", cgroups, err)
	}
	if cfg.CgroupV2 {
		return unix.Mount("cgroup2", cgroups, "cgroup2", 0, "")
	}
	for i, h := range all {
		if h.Point == cgroups {
			return unix.Mount("cgroup2", cgroups, "cgroup2", 0, "")
		}
		if i == 0 {
			if err := unix.Mount("tmpfs", cgroups, "tmpfs", 0, "mode=0755"); err != nil {
				return err
			}
		}
		options := h.Options
		if strings.HasPrefix(options, "name=") {
			options = "none," + options
		}
		if err := os.MkdirAll(h.Point, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(h.Kind, h.Point, h.Kind, 0, options); err != nil {
			return fmt.Errorf("mount %s %s: %w", h.Kind, options, err)
		}
	}
	return nil
}

// loopback brings up the only network there is.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// fuse lets users without rights have the device that fuse-overlayfs needs: who may, differs between machines.
func fuse(node string) error {
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return err
	}
	if err := unix.Mknod(node, unix.S_IFCHR|0o666, int(unix.Mkdev(10, 229))); err != nil {
		return err
	}
	if err := os.Chmod(node, 0o666); err != nil {
		return err
	}
	return unix.Mount(node, "/dev/fuse", "", unix.MS_BIND, "")
}

// settings are what podman has no options for: its locks would be a file in /dev/shm, which is the machine's, and it would tell a
// journal what it does.
func settings() error {
	const conf = "[engine]\nlock_type = \"file\"\nevents_logger = \"none\"\n[containers]\nlog_driver = \"k8s-file\"\n"
	const dir = "/etc/containers"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "containers.conf"), []byte(conf), 0o644)
}

// reap takes leave of orphans: a first process that does not would leave them as zombies.
func reap() error {
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err == nil || errors.Is(err, unix.EINTR) {
			continue
		}
		// Nobody is there to wait for.
		unix.Poll(nil, 20)
	}
}
