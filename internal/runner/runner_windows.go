package runner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// Leader does nothing: the command is started when the lock is held, and a job object ends it together with this process.
func Leader() {}

// Resolve finds the executable file that name stands for, along PATH and PATHEXT. The error is an *ExecError.
func Resolve(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	code := codeNotFound
	if errors.Is(err, fs.ErrPermission) {
		code = codeCannotRun
	}
	return "", &ExecError{Name: name, Code: code, Err: errors.Unwrap(err)}
}

// Interrupted is the cause of a context that Ctrl-C ended.
type Interrupted struct{ Signal syscall.Signal }

func (e *Interrupted) Error() string { return "interrupted" }

// Process is a command that runs in a job object of its own.
type Process struct {
	cmd     Command
	signals chan os.Signal
}

// Start prepares what Run starts. From here on Ctrl-C does not end this process: the console sends it to the command, too.
func Start(cmd Command) (*Process, error) {
	p := &Process{cmd: cmd, signals: make(chan os.Signal, 16)}
	signal.Notify(p.signals, os.Interrupt)
	return p, nil
}

// Group returns 0: there are no process groups.
func (p *Process) Group() int { return 0 }

// Abandon does nothing: there is nothing yet.
func (p *Process) Abandon() {}

// Interruptible returns a context that ends, with cause *Interrupted, at Ctrl-C. stop must be called once the wait is
// over; it returns the signal, or 0. A second Ctrl-C ends this process there and then.
func (p *Process) Interruptible(ctx context.Context) (_ context.Context, stop func() syscall.Signal) {
	ctx, cancel := context.WithCancelCause(ctx)
	quit, done := make(chan struct{}), make(chan struct{})
	var got syscall.Signal
	go func() {
		defer close(done)
		for {
			select {
			case <-p.signals:
				if got != 0 {
					Die(got)
				}
				got = syscall.SIGINT
				cancel(&Interrupted{got})
			case <-quit:
				return
			}
		}
	}()
	return ctx, func() syscall.Signal {
		close(quit)
		<-done
		cancel(nil)
		return got
	}
}

// Run runs the command and returns when no process of its job is left. After a loss the job is ended at once: there is
// no gentler signal that every program takes.
func (p *Process) Run(lock Lock) (out Outcome) {
	fail := func(err error) Outcome {
		return Outcome{Err: &ExecError{Name: p.cmd.name(), Code: codeCannotRun, Err: err}}
	}
	job, err := newJob()
	if err != nil {
		return fail(err)
	}
	defer windows.CloseHandle(job)
	process, err := startIn(job, p.cmd)
	if err != nil {
		return fail(err)
	}
	defer windows.CloseHandle(process)

	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	lost := lock.Context().Done()
	for populated(job) {
		select {
		case <-lost:
			lost = nil
			out.Lost = context.Cause(lock.Context())
			p.cmd.say("%v; the command is ended", out.Lost)
			windows.TerminateJobObject(job, codeSignal+uint32(syscall.SIGKILL))
		case <-poll.C:
		case <-p.signals:
		}
	}
	var code uint32
	windows.GetExitCodeProcess(process, &code)
	out.Code = int(code)
	return out
}

// die exits: there are no signals to die of.
func die(sig syscall.Signal, _ bool) { os.Exit(codeSignal + int(sig)) }
