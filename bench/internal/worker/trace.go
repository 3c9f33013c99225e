package worker

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Trace watches the worker's system calls, and its descendants', for so long. scratch is a file for strace to write to.
func (w *Worker) Trace(long time.Duration, lock, scratch string) (Calls, error) {
	args := []string{"-f", "-y", "-qq", "-s", "8", "-o", scratch}
	for _, pid := range Tree(w.Pid()) {
		args = append(args, "-p", strconv.Itoa(pid))
	}
	tracer := exec.Command("strace", args...)
	// strace complains only when it cannot trace.
	complaints, err := os.CreateTemp("", "strace")
	if err != nil {
		return Calls{}, err
	}
	defer os.Remove(complaints.Name())
	defer complaints.Close()
	tracer.Stderr = complaints
	if err := spawn(tracer); err != nil {
		return Calls{}, err
	}
	time.Sleep(long)
	tracer.Process.Signal(syscall.SIGINT)
	tracer.Wait() // it ends by the signal
	defer os.Remove(scratch)
	if said, _ := os.ReadFile(complaints.Name()); len(said) > 0 {
		return Calls{}, fmt.Errorf("strace: %s", said)
	}
	trace, err := os.ReadFile(scratch)
	if err != nil {
		return Calls{}, err
	}
	return Count(string(trace), lock), nil
}
