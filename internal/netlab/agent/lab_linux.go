package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// initLab is process 1 of the lab: with it, all in its pid namespace is killed, and network and mounts go, too. It ends with its
// standard input, of which the test's process has the other end: that is closed whatever becomes of the test.
func initLab() error {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	// This process's namespace of pids, for those that look.
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := unix.Mount("netlab", wire.Dir, "tmpfs", 0, "mode=0755,size=80%"); err != nil {
		return fmt.Errorf("mount a tmpfs on %s: %w", wire.Dir, err)
	}
	if err := copyFile("/proc/self/exe", wire.Agent); err != nil {
		return err
	}
	// The memory of the kernels is an unlinked file each.
	for _, dir := range []string{wire.Dir + "/mem", wire.Dir + "/uml", wire.Dir + "/files", wire.Lab} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount(wire.Dir, wire.Lab, "", unix.MS_BIND, ""); err != nil { // as the hosts have it
		return err
	}
	if err := os.Setenv("TMPDIR", wire.Dir+"/mem"); err != nil {
		return err
	}
	if err := network(); err != nil {
		return err
	}
	return nurse(wire.Socket, wire.Dir+"/ready")
}

// network makes two bridges: one between the hosts, and one by which the hosts are told what to do, also from here: in packets of the
// size that the hosts send.
func network() error {
	ip := exec.Command("ip", "-batch", "-")
	ip.Stdin = strings.NewReader("link set lo up\n" +
		"link add data type bridge\n" + "link set data up\n" +
		"link add control type bridge\n" + "addr add " + wire.ControlNet + "254/24 dev control\n" + "link set control up gso_max_segs 1\n")
	if out, err := ip.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", ip, err, out)
	}
	return nil
}

func copyFile(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	return err
}
