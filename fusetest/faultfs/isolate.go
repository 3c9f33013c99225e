//go:build linux

package faultfs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const isolatedVar = "FAULTFS_ISOLATED"

// Isolate runs this program once more, in a mount namespace and with a directory for temporary files of its own, and ends with that
// one's exit code: no mount, process or file is left behind, however it ends. There it returns at once, with nil. An error says why
// mounting is not possible here.
func Isolate() error {
	if os.Getenv(isolatedVar) != "" {
		return nil
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("faultfs: mounting needs root")
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("faultfs: FUSE is missing: %w", err)
	}
	device.Close()
	// Before anything is made: whoever is told to end by a signal cleans up first.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	tmp, err := os.MkdirTemp("", "faultfs-")
	if err != nil {
		return err
	}
	// What the program began is handed to us when it has ended, to be waited for.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), isolatedVar+"=1", "TMPDIR="+tmp)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// Mounts of the new namespace are made private by the standard library.
	if err := Bound(cmd, syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}); err != nil {
		_ = os.Remove(tmp)
		return fmt.Errorf("faultfs: no mount namespace: %w", err)
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	err = cmd.Wait()
	reap()
	err = errors.Join(err, os.RemoveAll(tmp))
	if cmd.ProcessState == nil || cmd.ProcessState.Success() && err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(max(cmd.ProcessState.ExitCode(), -cmd.ProcessState.ExitCode()))
	return nil
}

// reap waits for all processes that are left: each is killed when the one that began it ends.
func reap() {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if err == unix.ECHILD {
				return
			}
			if pid <= 0 {
				break
			}
		}
	}
}
