package proctest

import (
	"net"
	"strings"
	"testing"
	"time"
)

// court has a judge of its own listen.
func court(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go judgeAt(l)
	return judgeScheme + l.Addr().String()
}

func TestJudge(t *testing.T) {
	address := court(t)
	a, err := enter(address, "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enter(address, "b"); err == nil || !strings.Contains(err.Error(), "a is inside") {
		t.Errorf("b enters beside a: %v", err)
	}
	if err := a.leave(); err != nil {
		t.Error(err)
	}
	if err := a.leave(); err != nil {
		t.Errorf("who has left is not there: %v", err)
	}
	b, err := enter(address, "b")
	if err != nil {
		t.Fatal(err)
	}
	// Whoever dies inside says nothing more.
	if err := b.conn.Close(); err != nil {
		t.Fatal(err)
	}
	Until(t, Patience, "c enters after b's end", func() bool {
		c, err := enter(address, "c")
		if err != nil {
			return false
		}
		if err := c.leave(); err != nil {
			t.Error(err)
		}
		return true
	})
	if _, err := enter(judgeScheme+"127.0.0.1:1", "d"); err == nil {
		t.Error("nobody judges there")
	}
}

// Each child of a test has the next host's turn, whatever other tests start meanwhile.
func TestAssign(t *testing.T) {
	old := elsewhere
	defer func() { elsewhere = old }()
	elsewhere = &Elsewhere{Hosts: []HostCommand{{}, {Under: []string{"relay", "b"}, Far: true}}}
	for i, want := range []string{"self", "relay b self", "self", "relay b self"} {
		for _, tb := range []testing.TB{t, &testing.B{}} {
			p := &Proc{t: tb, cmd: command([]string{"self"})}
			p.assign()
			if tb != testing.TB(t) {
				continue
			}
			if got := strings.Join(p.cmd.Args, " "); got != want || (p.far != nil) != (i%2 == 1) {
				t.Errorf("child %d is started by %q, far: %v", i, got, p.far)
			}
		}
	}
	told := &Proc{t: t, cmd: command([]string{"strace", "self"})}
	told.assign()
	if got := strings.Join(told.cmd.Args, " "); got != "strace self" {
		t.Errorf("a test that knows how is not heard: %q", got)
	}
	if Settled() < time.Second {
		t.Errorf("what a host did is said to be seen within %v", Settled())
	}
}
