//go:build linux

package dirlock_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// A role is something done with a lock in one word, during which each system call is a place to die or to be held up.
type role struct {
	name    string
	prepare func(t *testing.T, p *proctest.Proc) // before the first call counts
	word    string
	every   bool // at every call; else only before and after those that change something
}

var roles = []role{
	{"acquirer", func(*testing.T, *proctest.Proc) {}, "acquire", true},
	{"releaser", func(t *testing.T, p *proctest.Proc) { p.Want("ACQ", "acquire") }, "release", true},
	{"thief", func(t *testing.T, p *proctest.Proc) {
		p.Forge(t, time.Hour, proctest.Dead(t))
	}, "acquire", true},
	{"thief of a foreign lock", func(t *testing.T, p *proctest.Proc) {
		p.Forge(t, time.Hour, proctest.Foreign)
	}, "acquire", false},
	{"thief of an unstamped lock", func(t *testing.T, p *proctest.Proc) {
		p.ForgeName(t, time.Hour, "x", nil)
		if err := unix.Unlink(filepath.Join(p.Path, "x")); err != nil {
			t.Fatal(err)
		}
		proctest.Age(t, p.Path, time.Hour)
	}, "acquire", false},
}

// A position is a place among the calls that a role makes.
type position struct {
	n    int // counted from the word on, and only the calls that are places
	what string
}

// places has the guard count the calls of a role, and do something at one of them.
type places struct {
	role role
	at   int // 0: nowhere
	do   func(proctest.Call) proctest.Reply

	mu    sync.Mutex
	armed bool
	tried bool // mkdir, which a waiter does with every look
	ended bool // a call that changed something came before: the next one is a place, too
	seen  []position
}

func (p *places) arm(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = on
}

// heartbeats go on beside all the rest, and are no steps.
func (p *places) reply(c proctest.Call) proctest.Reply {
	p.mu.Lock()
	changes := c.Mutates() && (c.Name != "mkdirat" || !p.tried)
	if !p.armed || c.Name == "utimensat" || !p.role.every && !changes && !p.ended {
		p.mu.Unlock()
		return proctest.Reply{}
	}
	p.tried = p.tried || c.Name == "mkdirat"
	p.ended = changes
	p.seen = append(p.seen, position{len(p.seen) + 1, c.What()})
	here := len(p.seen) == p.at
	p.mu.Unlock()
	if here {
		return p.do(c)
	}
	return proctest.Reply{}
}

func (p position) String() string { return fmt.Sprintf("%d %s", p.n, p.what) }

// survey returns the places of a role, by a run in which nothing happens.
func survey(t *testing.T, r role, options ...proctest.Option) []position {
	t.Helper()
	dir := proctest.Disk(t)
	p := proctest.Start(t, proctest.Quick(filepath.Join(dir, "lock")), options...)
	r.prepare(t, p)
	s := &places{role: r}
	p.Guard(dir, s.reply)
	s.arm(true)
	answer := p.Say(r.word)
	s.arm(false)
	if !strings.HasPrefix(answer, "ACQ") && answer != "REL" {
		t.Fatal("the undisturbed run failed:", answer)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.seen) < 3 {
		t.Fatalf("only %v was seen", s.seen)
	}
	return s.seen
}
