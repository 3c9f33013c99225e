package worker

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// spawner is the one thread that starts programs: the kernel sends the parent-death signal when the starting thread ends, and
// any other thread of the Go runtime might end before the driver does.
var spawner = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread() // never unlocked: the thread lasts as long as the process
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// spawn starts a program that dies with the driver.
func spawn(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	spawner() <- func() { done <- c.Start() }
	return <-done
}
