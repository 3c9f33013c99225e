//go:build linux

package faultfs

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starts are begun by a thread that lives as long as this process: the kernel kills the child when the thread that began it ends.
var starts = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range todo {
			f()
		}
	}()
	return todo
})

// Bound starts a process that does not outlive this one, even if this one is killed while it hangs in a mount.
func Bound(cmd *exec.Cmd, attr syscall.SysProcAttr) error {
	attr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr = &attr
	done := make(chan error)
	starts() <- func() { done <- cmd.Start() }
	return <-done
}
