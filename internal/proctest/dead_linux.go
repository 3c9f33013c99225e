package proctest

import (
	"os/exec"
	"sync"
	"testing"

	"github.com/aac6cccc/mkdirlock/stamp"
)

// died is a process of the test's that has ended.
var died = sync.OnceValues(func() (pid int, start uint64) {
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		return 0, 0
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	start, _ = stamp.StartOf(cmd.Process.Pid)
	return cmd.Process.Pid, start
})

// Dead returns an edit that makes a stamp the one of a process that has ended on this machine.
func Dead(t testing.TB) func(*stamp.Stamp) {
	t.Helper()
	pid, start := died()
	if start == 0 {
		t.Fatal("no process could be made and ended")
	}
	return func(s *stamp.Stamp) { s.PID, s.Start = pid, start }
}
