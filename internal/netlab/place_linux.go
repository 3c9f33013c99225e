package netlab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A Place is where commands are run: a [Host], or the lab's own namespaces on this machine's kernel.
type Place struct {
	Name string

	lab     *Lab
	address string                 // of its agent; "": the lab's own
	gone    func() <-chan struct{} // closed when it is gone that is there now
}

// Begin starts a command, with env ("NAME=value") beside a plain environment, and returns it as it runs. It is killed when the
// lab ends.
func (at *Place) Begin(env []string, cmd ...string) (*Process, error) {
	gone := at.gone()
	select {
	case <-gone:
		return nil, fmt.Errorf("%s: %q: %w", at.Name, cmd, wire.ErrGone)
	default:
	}
	p, err := wire.Start(at.lab.path(wire.Socket), at.address, wire.Request{Args: cmd, Env: env})
	if err != nil {
		return nil, fmt.Errorf("%s: %q: %w", at.Name, cmd, err)
	}
	go func() {
		select {
		case <-p.Ended():
		case <-gone:
			p.Close() // nobody else would say that it is gone
		}
	}()
	return p, nil
}

// Start is Begin; the test fails if the command cannot be started.
func (at *Place) Start(env []string, cmd ...string) *Process {
	at.lab.tb.Helper()
	p, err := at.Begin(env, cmd...)
	if err != nil {
		at.lab.tb.Fatal(err)
	}
	return p
}

// Run runs a command, with env ("NAME=value") beside a plain environment, until it ends. An error means that its end was not
// seen: it could not be started, the host lost power, or ctx was done, and then the command is killed, as far as it can be.
func (at *Place) Run(ctx context.Context, env []string, cmd ...string) (Result, error) {
	p, err := at.Begin(env, cmd...)
	if err != nil {
		return Result{}, err
	}
	return finish(ctx, p)
}

// Must runs a command for up to a minute and returns what it printed, without the last line's end; the test fails unless its
// exit code is 0.
func (at *Place) Must(cmd ...string) string {
	at.lab.tb.Helper()
	out, err := at.try(cmd...)
	if err != nil {
		at.lab.tb.Fatal(err)
	}
	return out
}

var errSlow = errors.New("it takes more than a minute")

func (at *Place) try(cmd ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errSlow)
	defer cancel()
	r, err := at.Run(ctx, nil, cmd...)
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("exit code %d", r.Code)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %q: %w: %s%s", at.Name, cmd, err, r.Stdout, r.Stderr)
	}
	return strings.TrimSuffix(r.Stdout, "\n"), nil
}

// Relay returns the first words of a command line on this machine that runs the rest of it there: input, output, exit code and
// the signals that can be caught are passed on, and the process there is killed when the one here dies. It has the environment
// variables of these names from here, and beside them a plain environment.
func (at *Place) Relay(env ...string) []string {
	// The agent's program is in the lab's directory.
	return []string{at.lab.path(wire.Agent), "relay", at.lab.path(wire.Socket), at.address, strings.Join(env, ",")}
}
