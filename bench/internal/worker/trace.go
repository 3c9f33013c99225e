package worker

import (
	"errors"
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
	defer os.Remove(scratch)
	tracer.Process.Signal(syscall.SIGINT)
	stuck := time.AfterFunc(10*time.Second, func() { tracer.Process.Kill() }) // as where a tracee waits for its vfork
	tracer.Wait()                                                             // it ends by the signal
	if !stuck.Stop() {
		return Calls{}, errors.New("strace did not end when it was told to")
	}
	if said, _ := os.ReadFile(complaints.Name()); len(said) > 0 {
		return Calls{}, fmt.Errorf("strace: %s", said)
	}
	trace, err := os.ReadFile(scratch)
	if err != nil {
		return Calls{}, err
	}
	return Count(string(trace), lock), nil
}
