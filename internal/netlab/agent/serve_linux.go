package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// serve starts processes for whoever connects.
func serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			answer(conn)
		}()
	}
}

func answer(conn net.Conn) {
	in := bufio.NewReader(conn)
	r, err := wire.ReadRequest(in)
	if err != nil {
		return
	}
	out := wire.NewWriter(conn)
	if r.Dial != "" {
		to, err := net.DialTimeout("tcp", r.Dial, 10*time.Second)
		if err != nil {
			out.Frame(wire.Failure, []byte(err.Error()))
			return
		}
		splice(conn, in, to)
		return
	}
	if err := run(r, in, out); err != nil {
		out.Frame(wire.Failure, []byte(err.Error()))
	}
}

// splice passes everything on, both ways, until one side ends: neither closes one half only.
func splice(conn net.Conn, in io.Reader, to net.Conn) {
	go func() {
		io.Copy(to, in)
		to.Close()
	}()
	io.Copy(conn, to)
	to.Close()
}

// run starts a process and stands between it and the connection. When the connection ends first, its group is killed.
func run(r wire.Request, in io.Reader, out *wire.Writer) error {
	if len(r.Args) == 0 {
		return os.ErrInvalid
	}
	cmd := exec.Command(r.Args[0], r.Args[1:]...)
	cmd.Env = append(os.Environ(), r.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, stdout, stderr, err := pipes(cmd)
	if err != nil {
		return err
	}
	out.Frame(wire.Started, strconv.AppendInt(nil, int64(cmd.Process.Pid), 10)) // before anything that it says
	var outputs sync.WaitGroup
	outputs.Go(func() { pass(out, wire.Output, stdout) })
	outputs.Go(func() { pass(out, wire.Errors, stderr) })

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		kill := func() {
			select {
			case <-ended: // the pid may be somebody else's
			default:
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			}
		}
		obey(in, stdin, cmd.Process, kill)
		kill()
	}()
	<-ended
	// A daemon that it left behind may keep its output open for ever.
	drained := make(chan struct{})
	go func() {
		outputs.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-time.After(time.Second):
	}
	out.Frame(wire.Exit, strconv.AppendInt(nil, int64(code(cmd.ProcessState)), 10))
	// The test closes the connection. If this end did, with input that nobody has read, the last frame might get lost.
	select {
	case <-heard:
	case <-time.After(time.Minute):
	}
	return nil
}

// pipes starts cmd with pipes of our own: those of exec.Cmd are closed by Wait, which must not cut off what was said last.
func pipes(cmd *exec.Cmd) (stdin, stdout, stderr *os.File, err error) {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	var files [3]*os.File
	for i := range files {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, nil, err
		}
		if i == 0 {
			r, w = w, r
		}
		files[i], theirs = r, append(theirs, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err = cmd.Start(); err != nil {
		for _, f := range files {
			f.Close()
		}
	}
	return files[0], files[1], files[2], err
}

func pass(out *wire.Writer, kind byte, from *os.File) {
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && out.Frame(kind, buf[:n]) != nil || err != nil {
			return
		}
	}
}

// obey does what the test says until it says no more. Input that the process does not read must not keep a signal from it.
func obey(in io.Reader, stdin *os.File, p *os.Process, kill func()) {
	input := wire.NewBuffer()
	go func() {
		defer stdin.Close()
		io.Copy(stdin, input)
	}()
	defer input.End()
	for {
		kind, payload, err := wire.ReadFrame(in)
		switch {
		case err != nil:
			return
		case kind == wire.Signal && len(payload) == 1:
			p.Signal(syscall.Signal(payload[0]))
		case kind == wire.Kill:
			kill()
		case kind == wire.Input && len(payload) == 0:
			input.End()
		case kind == wire.Input:
			input.Write(payload)
		}
	}
}

func code(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
