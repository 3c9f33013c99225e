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
	"unsafe"

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

// newJob makes a job whose processes end with the last handle on it, and so with this process.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return job, nil
}

// startIn starts the command suspended, so that it is in the job before it can start anything itself.
func startIn(job windows.Handle, cmd Command) (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(cmd.Path)
	if err != nil {
		return 0, err
	}
	line, err := windows.UTF16PtrFromString(windows.ComposeCommandLine(cmd.Args))
	if err != nil {
		return 0, err
	}
	si := windows.StartupInfo{Flags: windows.STARTF_USESTDHANDLES}
	si.Cb = uint32(unsafe.Sizeof(si))
	si.StdInput, si.StdOutput, si.StdErr = windows.Handle(os.Stdin.Fd()), windows.Handle(os.Stdout.Fd()), windows.Handle(os.Stderr.Fd())
	for _, h := range []windows.Handle{si.StdInput, si.StdOutput, si.StdErr} {
		windows.SetHandleInformation(h, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	}
	var pi windows.ProcessInformation
	err = windows.CreateProcess(path, line, nil, nil, true, windows.CREATE_SUSPENDED, nil, nil, &si, &pi)
	if err != nil {
		return 0, os.NewSyscallError("CreateProcess", err)
	}
	defer windows.CloseHandle(pi.Thread)
	if err = windows.AssignProcessToJobObject(job, pi.Process); err == nil {
		_, err = windows.ResumeThread(pi.Thread)
	}
	if err != nil {
		windows.TerminateProcess(pi.Process, codeCannotRun)
		windows.CloseHandle(pi.Process)
		return 0, os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return pi.Process, nil
}

// populated reports whether the job has a process left. What cannot be asked counts as yes only until the job is closed.
func populated(job windows.Handle) bool {
	const basicAccounting = 1
	var info struct {
		_            [4]int64 // times
		_            uint32   // page faults
		_, active, _ uint32   // total, active, terminated
	}
	err := windows.QueryInformationJobObject(job, basicAccounting,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

func die(sig syscall.Signal, _ bool) { os.Exit(codeSignal + int(sig)) }
