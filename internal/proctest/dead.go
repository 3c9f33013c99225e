package proctest

import (
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// died is a process that has ended: a child that was told nothing.
var died = sync.OnceValues(func() (owner stamp.Stamp, err error) {
	self, err := os.Executable()
	if err != nil {
		return owner, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), Variable+"={}")
	in, err := cmd.StdinPipe()
	if err != nil {
		return owner, err
	}
	if err := cmd.Start(); err != nil {
		return owner, err
	}
	owner.PID = cmd.Process.Pid
	owner.Start, _ = stamp.StartOf(owner.PID) // 0 where the system does not tell
	in.Close()
	return owner, cmd.Wait()
})

// Dead returns an edit that makes a stamp the one of a process that has ended on this machine.
func Dead(t testing.TB) func(*stamp.Stamp) {
	t.Helper()
	owner, err := died()
	if err != nil {
		t.Fatal(err)
	}
	return func(s *stamp.Stamp) { s.PID, s.Start = owner.PID, owner.Start }
}
