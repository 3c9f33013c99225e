package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// relay runs a command on a host, as if it ran here: its input, output and exit code are this process's. It gets the environment
// variables whose names are in keep, and the signals that can be caught; when this process dies, it is killed.
func relay(socket, host, keep string, args []string) error {
	r := wire.Request{Args: args}
	for name := range strings.SplitSeq(keep, ",") {
		if value, ok := os.LookupEnv(name); ok {
			r.Env = append(r.Env, name+"="+value)
		}
	}
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGCONT, syscall.SIGUSR1, syscall.SIGUSR2)
	p, err := wire.Start(socket, host, r)
	if err != nil {
		return err
	}
	go func() {
		for sig := range signals {
			p.Signal(sig.(syscall.Signal))
		}
	}()
	go func() {
		io.Copy(p.Stdin, os.Stdin)
		p.Stdin.Close()
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(os.Stderr, p.Stderr)
	}()
	io.Copy(os.Stdout, p.Stdout)
	<-done
	code, err := p.Wait(context.Background())
	if err != nil {
		return err
	}
	os.Exit(code)
	return nil
}
