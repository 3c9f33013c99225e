//go:build linux

package faultfs

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

const isolatedVar = "FAULTFS_ISOLATED"

// Isolate runs this program once more, in a mount namespace of its own, and ends with that one's exit code: no mount is left behind or
// seen by others. There it returns at once, with nil. An error says why mounting is not possible here.
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
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), isolatedVar+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	// Mounts of the new namespace are made private by the standard library.
	if err := Bound(cmd, syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}); err != nil {
		return fmt.Errorf("faultfs: no mount namespace: %w", err)
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(max(cmd.ProcessState.ExitCode(), -cmd.ProcessState.ExitCode()))
	return nil
}
