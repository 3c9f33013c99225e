package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A peer is one line of peers.json: a lock, and the worker that wraps it.
type peer struct {
	Name string

	// Kind is "own", "floor" (bare system calls, no waiting), "kernel" (which frees the lock itself), "takeover" (a waiter
	// replaces a dead holder), or "none".
	Kind string

	Go       string   // the worker is workers/GO, built by the driver,
	Cmd      []string // or this command, from the module's directory
	Profiles []string
	Only     []string // the tests that it takes part in; empty: all but the special ones
	Also     []string // special tests that it takes part in too

	version string
	missing string // why it cannot be measured; empty if it can
}

// special are the tests that only some workers have a role for.
var special = []string{"goroutines", "held"}

func (p peer) takes(test string) bool {
	switch {
	case len(p.Only) > 0:
		return slices.Contains(p.Only, test)
	case slices.Contains(special, test):
		return slices.Contains(p.Also, test)
	default:
		return true
	}
}

var kinds = []string{"own", "floor", "kernel", "takeover", "none"}

func loadPeers(file string) ([]peer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var peers []peer
	if err := json.Unmarshal(text, &peers); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range peers {
		if p.Name == "" || (p.Go == "") == (len(p.Cmd) == 0) || len(p.Profiles) == 0 || !slices.Contains(kinds, p.Kind) {
			return nil, fmt.Errorf("%s: peer %q needs a name, a kind of %q, one of go and cmd, and profiles", file, p.Name, kinds)
		}
	}
	return peers, nil
}

// argv is the command of the worker's role.
func (b *bench) argv(p peer, args ...string) []string {
	cmd := p.Cmd
	if p.Go != "" {
		cmd = []string{filepath.Join(b.bin, p.Go)}
	}
	return slices.Concat(cmd, args)
}

// build builds the Go workers.
func build(bin string) error {
	c := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./workers/...")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	return nil
}

// probe asks the peer for its version. One that does not answer is missing.
func (b *bench) probe(p *peer) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	argv := b.argv(*p, "version")
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	version, said := strings.CutPrefix(strings.TrimSpace(string(out)), "VERSION")
	p.version = strings.TrimSpace(version)
	switch exit, ok := errors.AsType[*exec.ExitError](err); {
	case ok && len(exit.Stderr) > 0:
		p.missing = lastLine(string(exit.Stderr))
	case err != nil:
		p.missing = err.Error()
	case !said || p.version == "":
		p.missing = "the program that it wraps is not installed"
	}
}

// lastLine is where an interpreter says what is wrong. Node says it before its stack.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "Error: ") {
			return l
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
