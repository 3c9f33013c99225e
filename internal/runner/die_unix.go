//go:build unix

package runner

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// die ends this process by sig, so that its parent sees a death by that signal; exit code 128+n where that cannot be had.
// A signal that was typed goes to the whole process group: the terminal sent it to the command's group alone, while
// without the detour the script or the pipeline around would have had it too.
func die(sig syscall.Signal, typed bool) {
	code := codeSignal + int(sig)
	// The first process of a namespace is not killed by its own signals, and Go's runtime would end it with code 2.
	if os.Getpid() == 1 {
		os.Exit(code)
	}
	switch sig {
	case unix.SIGHUP, unix.SIGINT, unix.SIGTERM:
		if signal.Ignored(sig) {
			os.Exit(code)
		}
		signal.Reset(sig)
		send(sig, typed)
		time.Sleep(time.Second) // the signal may be dealt with by another thread, a moment later
	case unix.SIGQUIT:
		// Go's runtime answers this one with a page of stacks. Only the siblings get it.
		signal.Ignore(sig)
		if typed {
			send(sig, typed)
		}
	case unix.SIGKILL:
		unix.Kill(os.Getpid(), sig)
		time.Sleep(time.Second)
	case unix.SIGPIPE:
		diePipe()
	}
	os.Exit(code)
}

// send sends sig to this process, or to its whole group.
func send(sig syscall.Signal, toGroup bool) {
	pid := os.Getpid()
	if toGroup {
		pid = 0
	}
	unix.Kill(pid, sig)
}

// diePipe dies of SIGPIPE. Go's runtime ignores one that was sent, and dies of one that a write to standard output earns.
func diePipe() {
	signal.Reset(unix.SIGPIPE)
	var p [2]int
	if unix.Pipe(p[:]) != nil {
		return
	}
	unix.Close(p[0])
	if unix.Dup2(p[1], 1) == nil {
		os.Stdout.Write([]byte{0})
	}
}
