//go:build unix

package runner

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// passed are the signals that are meant for the command when they are sent to this process.
var passed = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH,
}

// stops are the signals by which a terminal stops a job, and SIGCONT. They are left alone until the command runs.
var stops = []os.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGCONT}

// Interrupted is the cause of a context that a signal ended.
type Interrupted struct{ Signal syscall.Signal }

func (e *Interrupted) Error() string { return fmt.Sprintf("interrupted by a signal (%v)", e.Signal) }

// catch starts to receive the signals that are passed on.
func (p *Process) catch() {
	for _, sig := range passed {
		// A signal that was ignored from the start (nohup) stays so, for the command too: a handler would be reset by execve.
		if !signal.Ignored(sig) {
			signal.Notify(p.signals, sig)
		}
	}
	// A reader of our messages that went away must not end the protection: the write fails instead.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
}

// catchStops starts to receive the signals of job control.
func (p *Process) catchStops() { signal.Notify(p.signals, stops...) }

// Interruptible returns a context that ends, with cause *Interrupted, at the first signal that would end a program. stop
// must be called once the wait is over; it returns that signal, or 0. A second signal ends this process there and then.
func (p *Process) Interruptible(ctx context.Context) (_ context.Context, stop func() syscall.Signal) {
	ctx, cancel := context.WithCancelCause(ctx)
	quit, done := make(chan struct{}), make(chan struct{})
	var got syscall.Signal
	go func() {
		defer close(done)
		for {
			select {
			case s := <-p.signals:
				sig, _ := s.(syscall.Signal)
				switch {
				case sig == unix.SIGWINCH:
				case got == 0:
					got = sig
					cancel(&Interrupted{sig})
				default:
					Die(sig)
				}
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

// withoutTTOU runs f while this process may do from the background what would stop it: take the terminal, and write to
// one whose owner said "stty tostop". The signal is ignored no longer than that, because a sibling's SIGTTOU is news.
func (p *Process) withoutTTOU(f func()) {
	signal.Ignore(unix.SIGTTOU)
	f()
	signal.Notify(p.signals, unix.SIGTTOU)
}
