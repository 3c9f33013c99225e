package netlab

import (
	"context"
	"io"
	"syscall"
)

// A Process is one that runs on a host.
type Process struct {
	Pid int // on its host

	Stdin  io.WriteCloser
	Stdout io.Reader // whatever it printed is kept until it is read
	Stderr io.Reader
}

// Signal sends it a signal.
func (p *Process) Signal(sig syscall.Signal) error { panic("netlab: not there yet") }

// Wait waits for its end and returns its exit code: 128 and the signal's number when a signal ended it. An error means that the
// end was not seen: the host lost power, or ctx is done.
func (p *Process) Wait(ctx context.Context) (code int, err error) { panic("netlab: not there yet") }
