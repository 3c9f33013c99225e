package proctest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ElsewhereVariable holds an [Elsewhere] as JSON, by which tests that were written for directories of this machine run on another
// mount, with children on several hosts.
const ElsewhereVariable = "MKDIRLOCK_PROCTEST_ELSEWHERE"

// An Elsewhere says where tests are to run instead.
type Elsewhere struct {
	Name string // of the one subtest that Each has then
	Dir  string // where Disk, Memory and Each make their directories

	// Judge is the address at which the test's process listens for its children, who tell it when they enter and leave: a host's
	// address and port 0. It takes the place of the witness file, whose own lock some mounts do not have.
	Judge string

	// Hosts are where the children of a test are started, by turns.
	Hosts []HostCommand
}

// A HostCommand is a command line that runs the rest of it on some host, with [Variable].
type HostCommand struct {
	Under []string // none: here

	// Far: the child's pid is one of that host, where signals are sent by the same command line. Else it is a descendant of
	// the process that is started here.
	Far bool
}

var elsewhere = func() *Elsewhere {
	text, ok := os.LookupEnv(ElsewhereVariable)
	if !ok {
		return nil
	}
	e := &Elsewhere{}
	if err := json.Unmarshal([]byte(text), e); err != nil {
		fmt.Fprintf(os.Stderr, "proctest: %s: %v\n", ElsewhereVariable, err)
		os.Exit(2)
	}
	return e
}()

// Away reports whether the tests run on another mount than they were written for, where what another host has done may be seen
// late.
func Away() bool { return elsewhere != nil }

// awayDir is a fresh directory there.
func awayDir(t testing.TB) string {
	t.Helper()
	return tempDir(t, elsewhere.Dir)
}

// turns counts the children of each test.
var turns = struct {
	sync.Mutex
	of map[testing.TB]int
}{of: map[testing.TB]int{}}

// assign has the child start on the host whose turn it is, unless the test has said how it is to be started.
func (p *Proc) assign() {
	if elsewhere == nil || len(elsewhere.Hosts) == 0 || len(p.cmd.Args) > 1 {
		return
	}
	turns.Lock()
	host := elsewhere.Hosts[turns.of[p.t]%len(elsewhere.Hosts)]
	turns.of[p.t]++
	turns.Unlock()
	if len(host.Under) == 0 {
		return
	}
	Under(host.Under...)(p)
	if host.Far {
		p.far = host.Under
	}
}

// farAway runs a command on the child's host.
func (p *Proc) farAway(cmd ...string) (string, error) {
	out, err := command(slices.Concat(p.far, cmd)).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %q: %w: %s", p.ID, cmd, err, out)
	}
	return string(out), err
}

// farSignal sends the child a signal by its name, there. Of SIGSTOP it returns when all threads have stopped.
func (p *Proc) farSignal(name string) {
	p.t.Helper()
	if _, err := p.farAway("kill", "-"+name, fmt.Sprint(p.Inner)); err != nil {
		p.t.Fatal(err)
	}
	if name != "STOP" {
		return
	}
	Until(p.t, Patience, "the child has stopped", func() bool {
		out, err := p.farAway("sh", "-c", fmt.Sprintf("cat /proc/%d/task/*/stat", p.Inner))
		if err != nil {
			p.t.Fatal(err)
		}
		return strings.Count(out, "\n") == strings.Count(out, ") T ")
	})
}

// Settled is the time within which all hosts see what one has done, if they look. Here it is none.
func Settled() time.Duration {
	if Away() {
		return 5 * time.Second
	}
	return 0
}
