package netlab

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A Process is one that runs on a host: its Pid there; its Stdin, Stdout and Stderr, whose output is kept until it is read; Signal,
// Wait, Kill (it and its process group) and Close (the same, without waiting for it).
type Process = wire.Process

// A Result is what a command said and its exit code: 128 and the signal's number when a signal ended it.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// finish waits for a process's end with no more input, and kills it when it takes too long.
func finish(ctx context.Context, p *Process) (Result, error) {
	p.Stdin.Close()
	code, err := p.Wait(ctx)
	p.Close()
	var out, errs strings.Builder
	var both sync.WaitGroup
	both.Go(func() { io.Copy(&out, p.Stdout) })
	both.Go(func() { io.Copy(&errs, p.Stderr) })
	both.Wait()
	return Result{Stdout: out.String(), Stderr: errs.String(), Code: code}, err
}
