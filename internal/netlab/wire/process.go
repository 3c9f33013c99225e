package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Process is one that runs on a host of a lab. Its methods may be called from any goroutine.
type Process struct {
	Pid int // as its host has it

	// What is written here comes to the process; Close ends its input.
	Stdin io.WriteCloser

	// What the process printed is kept here until it is read.
	Stdout, Stderr io.Reader

	conn     net.Conn
	out      *Writer
	stdout   *Buffer
	stderr   *Buffer
	ended    chan struct{}
	code     int
	err      error
	closeAll sync.Once
}

// ErrGone is what became of a process whose end was not seen: its host lost power, or nobody was connected to it any more.
var ErrGone = errors.New("the process is gone, with its host or with the connection to it")

// Start has an agent start a process: the one behind a socket, "/path" or "address:port", or the one at the address host, if any, which
// that one can reach.
func Start(socket, host string, r Request) (*Process, error) {
	network := "tcp"
	if strings.HasPrefix(socket, "/") {
		network = "unix"
	}
	conn, err := net.Dial(network, socket)
	if err != nil {
		return nil, err
	}
	p := &Process{conn: conn, out: NewWriter(conn), stdout: NewBuffer(), stderr: NewBuffer(), ended: make(chan struct{})}
	p.Stdin, p.Stdout, p.Stderr = input{p}, p.stdout, p.stderr
	if err := p.start(host, r); err != nil {
		conn.Close()
		return nil, err
	}
	go p.listen()
	return p, nil
}

func (p *Process) start(host string, r Request) error {
	if host != "" {
		if err := p.out.Ask(Request{Dial: host}); err != nil {
			return err
		}
	}
	if err := p.out.Ask(r); err != nil {
		return err
	}
	// A host that loses power now says nothing more.
	p.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	kind, payload, err := ReadFrame(p.conn)
	p.conn.SetReadDeadline(time.Time{})
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrGone, err)
	case kind == Failure:
		return errors.New(string(payload))
	case kind != Started:
		return fmt.Errorf("an agent that answers %q", kind)
	}
	p.Pid, err = strconv.Atoi(string(payload))
	return err
}

func (p *Process) listen() {
	p.code, p.err = p.hear()
	p.conn.Close()
	p.stdout.End()
	p.stderr.End()
	close(p.ended)
}

func (p *Process) hear() (code int, err error) {
	for {
		kind, payload, err := ReadFrame(p.conn)
		if err != nil {
			return -1, fmt.Errorf("%w: %w", ErrGone, err)
		}
		switch kind {
		case Output:
			p.stdout.Write(payload)
		case Errors:
			p.stderr.Write(payload)
		case Exit:
			return strconv.Atoi(string(payload))
		}
	}
}

// Signal sends it a signal.
func (p *Process) Signal(sig syscall.Signal) error { return p.out.Frame(Signal, []byte{byte(sig)}) }

// Kill ends it and its process group.
func (p *Process) Kill() error { return p.out.Frame(Kill, nil) }

// Wait waits for its end and returns its exit code: 128 and the signal's number when a signal ended it. An error is ErrGone,
// or ctx is done.
func (p *Process) Wait(ctx context.Context) (code int, err error) {
	select {
	case <-p.ended:
		return p.code, p.err
	case <-ctx.Done():
		return -1, context.Cause(ctx)
	}
}

// Ended is closed when Wait would not wait.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Close leaves it: it and its process group will be killed, if there is still somebody to do it. Nobody waits for that.
func (p *Process) Close() error {
	p.closeAll.Do(func() { p.conn.Close() })
	<-p.ended
	return nil
}

// input is a Process as its standard input.
type input struct{ p *Process }

func (i input) Write(data []byte) (n int, err error) {
	for len(data) > 0 {
		part := data[:min(len(data), 1<<16)]
		if err := i.p.out.Frame(Input, part); err != nil {
			return n, err
		}
		n += len(part)
		data = data[len(part):]
	}
	return n, nil
}

func (i input) Close() error { return i.p.out.Frame(Input, nil) }
