package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// What a host is told on its kernel's command line comes as the environment of its first process.
const (
	roleVariable    = "netlab_role" // "server" or "client"
	nameVariable    = "netlab_name"
	numberVariable  = "netlab_number"  // the last part of its addresses
	leaseVariable   = "netlab_lease"   // in seconds
	modulesVariable = "netlab_modules" // the directory of the machine where the kernel's modules are

	directoriesVariable = "netlab_directories" // "true": the client may ask for delegations of directories
)

// initHost is process 1 of a host. What went wrong, or that all went well, stands in a file of the lab's directory.
func initHost() error {
	own := wire.Lab + "/" + os.Getenv(nameVariable)
	err := setUp(own)
	if err == nil {
		err = nurse(wire.ControlNet+os.Getenv(numberVariable)+":"+wire.Port, own+"/ready")
	}
	os.WriteFile(own+"/failed", []byte(err.Error()), 0o644)
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	return err
}

func setUp(own string) error {
	os.Setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	os.Setenv("HOME", "/root")
	if err := mounts(); err != nil {
		return err
	}
	log, err := os.OpenFile(own+"/init.log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	os.Stdout, os.Stderr = log, log
	say("%s, a %s", os.Getenv(nameVariable), os.Getenv(roleVariable))
	if err := unix.Sethostname([]byte(os.Getenv(nameVariable))); err != nil {
		return err
	}
	if err := modules(); err != nil {
		return err
	}
	n := os.Getenv(numberVariable)
	// Not in packets larger than the network's: the driver at the other end drops those, and what is sent again after a
	// time-out is large, too, so that a megabyte takes minutes.
	if err := input("ip -batch -", "link set lo up\n"+
		"addr add "+wire.DataNet+n+"/24 dev vec0\nlink set vec0 up gso_max_segs 1\n"+
		"addr add "+wire.ControlNet+n+"/24 dev vec1\nlink set vec1 up gso_max_segs 1\n"); err != nil {
		return err
	}
	if os.Getenv(roleVariable) == "server" {
		err = server(own)
	} else {
		err = client()
	}
	say("ready: %v", err)
	return err
}

// mounts puts memory over what must be written: the root is the machine's own, and stays as it is.
func mounts() error {
	unix.Mount("dev", "/dev", "devtmpfs", 0, "") // the kernel may have done so
	for _, m := range [][3]string{               // what, where, its type
		{"proc", "/proc", "proc"}, {"sys", "/sys", "sysfs"},
		{"tmp", "/tmp", "tmpfs"}, {"run", "/run", "tmpfs"}, {"mnt", "/mnt", "tmpfs"}, {"root", "/root", "tmpfs"},
		{"lib", "/var/lib", "tmpfs"}, {"log", "/var/log", "tmpfs"}, {"cache", "/var/cache", "tmpfs"},
		{"shm", "/dev/shm", "tmpfs"}, {"pts", "/dev/pts", "devpts"}, {wire.Dir, wire.Lab, "hostfs"},
	} {
		data := ""
		if m[2] == "hostfs" {
			m[0], data = "none", m[0] // its option is the directory of the machine
		}
		if err := os.MkdirAll(m[1], 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m[0], m[1], m[2], 0, data); err != nil {
			return fmt.Errorf("mount %s: %w", m[1], err)
		}
	}
	return os.Chmod("/tmp", 0o777|os.ModeSticky)
}

// modules lets the kernel have its modules, which are not in /lib/modules of this root, also those that it asks for itself:
// without them cifs cannot mount, for want of ciphers.
func modules() error {
	const dir = "/run/modules/lib/modules"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("none", dir, "hostfs", unix.MS_RDONLY, os.Getenv(modulesVariable)); err != nil {
		return fmt.Errorf("mount %s: %w", dir, err)
	}
	script := "#!/bin/sh\nexec /sbin/modprobe -d /run/modules \"$@\"\n"
	if err := os.WriteFile("/run/modprobe", []byte(script), 0o755); err != nil {
		return err
	}
	return os.WriteFile("/proc/sys/kernel/modprobe", []byte("/run/modprobe"), 0)
}

func say(format string, args ...any) {
	uptime, _ := os.ReadFile("/proc/uptime")
	now, _, _ := strings.Cut(string(uptime), " ")
	fmt.Fprintf(os.Stdout, now+" "+format+"\n", args...)
}

// command runs one whose words have no blanks in them.
func command(line string) error { return input(line, "") }

func input(line, stdin string) error {
	words := strings.Fields(line)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), os.Stdout, os.Stdout
	err := cmd.Run()
	say("%s: %v", line, err)
	if err != nil {
		return fmt.Errorf("%s: %w, see init.log", line, err)
	}
	return nil
}

// all runs functions at once and returns the first error.
func all(fs ...func() error) error {
	errs := make(chan error, len(fs))
	for _, f := range fs {
		go func() { errs <- f() }()
	}
	var first error
	for range fs {
		if err := <-errs; first == nil {
			first = err
		}
	}
	return first
}
