//go:build unix

package runner

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// lose takes the lock away from a job.
func (j *job) lose() {
	j.t.Helper()
	if err := os.Remove(j.lock); err != nil {
		j.t.Fatal(err)
	}
}

func TestALossEndsTheCommand(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"gently", `trap 'echo TERM >"$2"; exit 0' TERM; echo ready >"$1"; while :; do sleep 0.02; done`},
		{"by force", `trap 'echo TERM >"$2"' TERM; echo ready >"$1"; while :; do sleep 0.02; done`},
		{"with its children", `(trap 'echo TERM >"$2"; exit 0' TERM; echo ready >"$1"; while :; do sleep 0.02; done) & wait`},
		{"after its leader", `(trap 'echo TERM >"$2"; exit 0' TERM; sleep 0.1; echo ready >"$1"; while :; do sleep 0.02; done) & exit 0`},
		{"while it is stopped", `trap 'echo TERM >"$2"; exit 0' TERM; echo ready >"$1"; while :; do kill -STOP $$; done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := sh(t, c.script)
			j.Args = append(j.Args, j.file("ready"), j.file("term"))
			if c.name == "by force" {
				j.grace(time.Second)
			}
			j.start()
			group := j.group()
			j.eventuallyFile("ready")
			j.lose()
			wantCode(t, j.end(), 76)
			if !gone(group) {
				t.Error("the group is not gone")
			}
			if read(j.file("term")) != "TERM" {
				t.Error("no SIGTERM came first")
			}
			if got := j.errout.String(); !strings.Contains(got, "the file is gone") || strings.Count(got, "SIGTERM") != 1 {
				t.Errorf("said %q", got)
			}
		})
	}
}

func TestSIGKILLComesAfterTheGrace(t *testing.T) {
	j := sh(t, `trap '' TERM; echo ready >"$1"; while :; do sleep 0.02; done`)
	j.Args = append(j.Args, j.file("ready"))
	j.grace(300 * time.Millisecond)
	j.start()
	j.eventuallyFile("ready")
	start := time.Now()
	j.lose()
	wantCode(t, j.end(), 76)
	if d := time.Since(start); d < 300*time.Millisecond {
		t.Errorf("killed after %v, before the grace was over", d)
	}
}

// Whoever was stopped asks before the command goes on.
func TestALossIsNoticedOnWaking(t *testing.T) {
	j := sh(t, `trap 'exit 0' TERM; echo ready >"$1"; while :; do sleep 0.02; done`)
	j.Args = append(j.Args, j.file("ready"))
	if err := os.WriteFile(j.lock+".blind", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	j.start()
	j.eventuallyFile("ready")
	j.Process.Signal(unix.SIGSTOP)
	j.lose()
	j.Process.Signal(unix.SIGCONT)
	wantCode(t, j.end(), 76)
}
