// Package runner runs a command that must not outlive its protection.
//
// On Unix the command is the leader of a process group of its own. The leader is started before the lock is taken and
// waits, so that the lock's stamp can name the group; only when the lock is held does it become the command. The order is
//
//	exe, err := runner.Resolve("make")          // "not found" and "not executable" are known before the lock is taken
//	p, err := runner.Start(runner.Command{...}) // the leader waits; p.Group() goes into the stamp
//	ctx, stop := p.Interruptible(ctx)           // a signal ends the wait for the lock
//	... take the lock under ctx ...
//	sig := stop()                               // which signal, if any: then p.Abandon()
//	out := p.Run(lock)                          // the leader becomes the command
//	... release the lock ...
//	runner.Exit(out)                            // exit, or die, as the command did
//
// and the program's main begins with [Leader]. A program uses this once, and forks nothing else between Start and Run.
//
// On Windows there is no group and no stamp of it: the command runs in a job object that the system ends together with
// this process.
package runner

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Command says what to run.
type Command struct {
	Path  string        // the executable's file, as Resolve gave it
	Args  []string      // the argument vector; Args[0] is the name that the user gave
	Grace time.Duration // from SIGTERM to SIGKILL after the lock was lost

	// Gone, if not nil, is asked whether the group, which exists, has no member left that can still do anything, such as one
	// that consists of zombies. It is asked about ten times a second while the command's leader has ended and its group has not.
	Gone func(group int) bool

	// Say prints a line for people. It is called from one goroutine. nil: silent.
	Say func(format string, args ...any)
}

// Lock is what protects the command. *dirlock.Lock is one.
type Lock interface {
	// Context ends when the lock is lost, with the reason as its cause.
	Context() context.Context
	// Check asks the file system whether the lock is still held. When it is not, Context has ended by the time it returns.
	Check() error
}

// Outcome is how the command ended.
type Outcome struct {
	Code   int            // its exit code, if Signal is 0
	Signal syscall.Signal // the signal that killed it, 0 if none

	// Lost is why the lock was lost while the command ran; nil if it was not. It counts for more than Code and Signal.
	Lost error
	// Err is why the command could not be started after all; an *ExecError. nil if it was started.
	Err error

	// typed: the signal came from the terminal, which would have sent it to this process and its siblings as well.
	typed bool
}

// ExecError says why a command cannot be run.
type ExecError struct {
	Name string // as the user gave it
	Code int    // what shells exit with: 127 when there is no such command, 126 when it is there and cannot be executed
	Err  error  // what the system said
}

func (e *ExecError) Error() string { return fmt.Sprintf("cannot run %q: %v", e.Name, e.Err) }
func (e *ExecError) Unwrap() error { return e.Err }

const (
	codeCannotRun = 126
	codeNotFound  = 127
	codeSignal    = 128 // plus the signal's number
)

// say prints nothing when nobody listens.
func (c Command) say(format string, args ...any) {
	if c.Say != nil {
		c.Say(format, args...)
	}
}

// name is what to call the command in a message.
func (c Command) name() string {
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	return c.Path
}

// Exit ends this process as the command ended: with its exit code, or by the signal that killed it where that can be
// done, so that whoever started this process sees what it would have seen without it; else with 128 and the number.
// It never returns. Lost and Err are the caller's business.
func Exit(o Outcome) {
	if o.Signal != 0 {
		die(o.Signal, o.typed)
	}
	os.Exit(o.Code)
}

// Die ends this process by a signal where that can be done, else with exit code 128 and the number.
func Die(sig syscall.Signal) { die(sig, false) }
