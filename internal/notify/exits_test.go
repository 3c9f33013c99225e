package notify_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/notify"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

func yes() bool { return true }

// awaitEnd watches a process until the test ends.
func awaitEnd(t testing.TB, e *notify.Exits, pid int) (*calls, func()) {
	t.Helper()
	c := &calls{t: t}
	stop, err := e.Watch(pid, yes, c.call)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return c, stop
}

func TestKilled(t *testing.T) {
	var e notify.Exits
	child, other := proctest.Start(t, proctest.Config{}), proctest.Start(t, proctest.Config{})
	a, _ := awaitEnd(t, &e, child.Inner)
	b, _ := awaitEnd(t, &e, child.Inner)
	stopped, stop := awaitEnd(t, &e, child.Inner)
	lives, _ := awaitEnd(t, &e, other.Inner)
	stop()
	stop()
	if a.count() != 0 {
		t.Fatal("told before it was killed")
	}
	child.Kill()
	a.reach(1, "killed")
	b.reach(1, "killed, to the second waiter")
	other.Kill()
	lives.reach(1, "the other is killed")
	if a.count() != 1 || b.count() != 1 || stopped.count() != 0 {
		t.Errorf("told %d, %d, and after stop %d times", a.count(), b.count(), stopped.count())
	}
}

// TestEndedBefore: there is nothing to wait for.
func TestEndedBefore(t *testing.T) {
	var e notify.Exits
	child := proctest.Start(t, proctest.Config{})
	child.Kill()
	proctest.Until(t, proctest.Patience, "it is known that the process is gone", func() bool {
		stop, err := e.Watch(child.Inner, yes, func() {})
		if err == nil {
			stop()
		}
		return errors.Is(err, notify.ErrNoProcess)
	})
}

// TestAnothersPid: whoever got the number next is not watched.
func TestAnothersPid(t *testing.T) {
	var e notify.Exits
	child := proctest.Start(t, proctest.Config{})
	asked := 0
	_, err := e.Watch(child.Inner, func() bool { asked++; return false }, func() { t.Error("told of another's end") })
	if !errors.Is(err, notify.ErrNoProcess) || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	a, _ := awaitEnd(t, &e, child.Inner) // one who is sure, beside one who is not
	if _, err := e.Watch(child.Inner, func() bool { return false }, func() { t.Error("told of another's end") }); !errors.Is(err, notify.ErrNoProcess) {
		t.Error(err)
	}
	child.Kill()
	a.reach(1, "killed")
}

func TestNoPid(t *testing.T) {
	var e notify.Exits
	for _, pid := range []int{0, -1, -os.Getpid()} {
		_, err := e.Watch(pid, func() bool { t.Error("asked"); return true }, func() {})
		if !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("pid %d: %v", pid, err)
		}
	}
}
