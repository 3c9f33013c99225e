package netlab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// A Host is one kernel with its processes, mounts, clock and network. It is told what to do over a network of its own, which
// works while it is cut off from the others.
type Host struct {
	Name string
	IP   string // its address on the network between the hosts

	lab    *Lab
	number int

	mu     sync.Mutex
	kernel *Process

	mounts map[string]int // how many of each kind there were since it was booted
}

func (l *Lab) host(name string, number int) *Host {
	return &Host{Name: name, IP: fmt.Sprint(wire.DataNet, number), lab: l, number: number}
}

func (h *Host) address() string { return fmt.Sprint(wire.ControlNet, h.number, ":", wire.Port) }

// Begin starts a command, with env ("NAME=value") beside a plain environment, and returns it as it runs. It is killed when the
// lab ends.
func (h *Host) Begin(env []string, cmd ...string) (*Process, error) {
	h.mu.Lock()
	kernel := h.kernel
	h.mu.Unlock()
	select {
	case <-kernel.Ended():
		return nil, fmt.Errorf("%s: %q: %w", h.Name, cmd, wire.ErrGone)
	default:
	}
	p, err := wire.Start(h.lab.path(wire.Socket), h.address(), wire.Request{Args: cmd, Env: env})
	if err != nil {
		return nil, fmt.Errorf("%s: %q: %w", h.Name, cmd, err)
	}
	go func() {
		select {
		case <-p.Ended():
		case <-kernel.Ended():
			p.Close() // nobody else would say that it is gone
		}
	}()
	return p, nil
}

// Start is Begin; the test fails if the command cannot be started.
func (h *Host) Start(env []string, cmd ...string) *Process {
	h.lab.tb.Helper()
	p, err := h.Begin(env, cmd...)
	if err != nil {
		h.lab.tb.Fatal(err)
	}
	return p
}

// Run runs a command, with env ("NAME=value") beside a plain environment, until it ends. An error means that its end was not
// seen: it could not be started, the host lost power, or ctx was done, and then the command is killed, as far as it can be.
func (h *Host) Run(ctx context.Context, env []string, cmd ...string) (Result, error) {
	p, err := h.Begin(env, cmd...)
	if err != nil {
		return Result{}, err
	}
	return finish(ctx, p)
}

// Must runs a command for up to a minute and returns what it printed, without the last line's end; the test fails unless its
// exit code is 0.
func (h *Host) Must(cmd ...string) string {
	h.lab.tb.Helper()
	out, err := h.try(cmd...)
	if err != nil {
		h.lab.tb.Fatal(err)
	}
	return out
}

var errSlow = errors.New("it takes more than a minute")

func (h *Host) try(cmd ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errSlow)
	defer cancel()
	r, err := h.Run(ctx, nil, cmd...)
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("exit code %d", r.Code)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %q: %w: %s%s", h.Name, cmd, err, r.Stdout, r.Stderr)
	}
	return strings.TrimSuffix(r.Stdout, "\n"), nil
}

// Clock shifts the host's date, forth or back.
func (h *Host) Clock(shift time.Duration) {
	h.lab.tb.Helper()
	h.Must(wire.Lab+"/agent", "shift", shift.String())
}

// Relay returns the first words of a command line on this machine that runs the rest of it on the host: input, output, exit code and
// the signals that can be caught are passed on, and the process there is killed when the one here dies. It has the environment
// variables of these names from here, and beside them the plain environment of the host.
func (h *Host) Relay(env ...string) []string {
	// The agent's program is in the lab's directory.
	return []string{h.lab.path(wire.Agent), "relay", h.lab.path(wire.Socket), h.address(), strings.Join(env, ",")}
}
