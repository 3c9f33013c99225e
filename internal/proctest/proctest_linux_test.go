package proctest_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// One who was killed inside is not taken for one who is inside; one who is stopped there is.
func TestWitnessOfTheDead(t *testing.T) {
	dir := t.TempDir()
	a := proctest.Quick(filepath.Join(dir, "a"))
	a.Witness = filepath.Join(dir, "witness")
	b := a
	b.Path = filepath.Join(dir, "b") // another lock, so that both get one
	first, second := proctest.Start(t, a), proctest.Start(t, b)
	first.Want("ACQ", "acquire")
	first.Kill()
	second.Want("ACQ", "acquire")
	second.Want("REL", "release")
}

func TestStopAndCont(t *testing.T) {
	p := proctest.Start(t, proctest.Quick(filepath.Join(t.TempDir(), "lock")), proctest.Under("sh", "-c", `"$@"; true`, "-"))
	if p.Pid() != p.Inner {
		t.Errorf("pid %d calls itself %d", p.Pid(), p.Inner)
	}
	p.Stop()
	p.Send("try")
	p.Quiet(100 * time.Millisecond)
	p.Cont()
	p.Expect("ACQ", proctest.Patience)
	p.Kill()
	p.Exited(proctest.Patience)
}

// Each call on the lock is seen once and in order, can be refused, faked, and held up.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	p := proctest.Start(t, proctest.Quick(filepath.Join(dir, "lock")))
	var seen []string // the calls of one acquisition come one at a time
	refuse, before := true, 0
	p.Guard(dir, func(c proctest.Call) proctest.Reply {
		if c.N != before+1 {
			t.Errorf("number %d comes after number %d", c.N, before)
		}
		before = c.N
		seen = append(seen, c.What())
		if refuse && c.Name == "mkdirat" {
			return proctest.Reply{Errno: unix.ENOSPC}
		}
		return proctest.Reply{}
	})
	if text := p.Want("ERR", "acquire"); !strings.Contains(text, "no space left") {
		t.Error(text)
	}
	refuse = false
	seen = nil
	p.Want("ACQ", "acquire")
	p.Want("REL", "release")
	order := strings.Join(seen, ",")
	last := 0
	for _, step := range []string{"mkdirat lock", "create stamp", "write stamp", "flock stamp", "getdents64 lock", "unlinkat stamp", "rmdir lock", "close stamp"} {
		at := strings.Index(order[last:], step)
		if at < 0 {
			t.Fatalf("no %s after that in %s", step, order)
		}
		last += at
	}
}

func TestForge(t *testing.T) {
	dir := t.TempDir()
	cfg := proctest.Quick(filepath.Join(dir, "lock"))
	before := cfg.Forge(t, time.Hour, proctest.Dead(t))
	tree := proctest.Tree(t, dir)
	stop := proctest.KeepMoving(t, filepath.Join(cfg.Path, before), 5*time.Millisecond, -time.Hour)
	proctest.Until(t, proctest.Patience, "the mtime moves", func() bool { return proctest.Tree(t, dir) != tree })
	stop()
	tree = proctest.Tree(t, dir)
	proctest.Never(t, 50*time.Millisecond, "it moves on", func() bool { return proctest.Tree(t, dir) != tree })
}
