//go:build unix

package runner

import (
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// counter is a script that reports every signal it gets, and ends at SIGUSR2.
const counter = `
for s in HUP INT QUIT TERM USR1 WINCH CONT; do trap "echo $s" $s; done
trap 'exit 5' USR2
: >"$1"; echo ready >"$1"
while :; do sleep 0.02; done`

func TestEverySignalIsPassedOnOnce(t *testing.T) {
	j := sh(t, counter)
	j.Args = append(j.Args, j.file("ready"))
	out := j.file("out")
	j.Args[5] = strings.ReplaceAll(j.Args[5], "echo $s", "echo $s >>"+out) // also read while it runs
	j.start()
	j.eventuallyFile("ready")
	sent := []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGWINCH, unix.SIGCONT}
	var want strings.Builder
	for _, sig := range sent {
		j.Process.Signal(sig)
		want.WriteString(strings.TrimPrefix(unix.SignalName(sig), "SIG") + "\n")
		j.eventually("the command to get "+sig.String(), func() bool { return read(out)+"\n" == want.String() })
	}
	j.Process.Signal(unix.SIGUSR2)
	wantCode(t, j.end(), 5)
	if got := read(out) + "\n"; got != want.String() {
		t.Errorf("the command got %q, want %q", got, want.String())
	}
}

func TestSignalsReachWhoIsLeft(t *testing.T) {
	j := sh(t, `(trap 'echo last >"$1"; exit' TERM; echo ready >"$2"; while :; do sleep 0.02; done) & exit 3`)
	j.Args = append(j.Args, j.file("last"), j.file("ready"))
	j.start()
	j.eventuallyFile("ready")
	j.Process.Signal(unix.SIGTERM)
	wantCode(t, j.end(), 3)
	j.eventuallyFile("last")
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	j := sh(t, `kill -HUP $$; kill -INT $$; echo alive`)
	j.Path, j.Args = "/bin/sh", append([]string{"sh", "-c", `trap '' HUP INT; exec "$@"`, "sh"}, append([]string{j.Path}, j.Args[1:]...)...)
	wantCode(t, j.run(), 0)
	if j.out.String() != "alive\n" {
		t.Errorf("wrote %q", j.out.String())
	}
}

func TestASignalEndsTheWait(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			j := sh(t, `echo ran >"$1"`)
			j.Args = append(j.Args, j.file("ran"))
			j.wait()
			j.start()
			group := j.group()
			j.Process.Signal(sig)
			wantSignal(t, j.end(), sig)
			if !gone(group) {
				t.Error("the leader is left behind")
			}
			if read(j.file("ran")) != "" {
				t.Error("the command ran")
			}
		})
	}
}

// The leader of one that is killed while it waits ends without having become the command.
func TestKilledWhileWaiting(t *testing.T) {
	j := sh(t, `echo ran >"$1"`)
	j.Args = append(j.Args, j.file("ran"))
	j.wait()
	j.start()
	group := j.group()
	if gone(group) {
		t.Fatal("there is no leader")
	}
	j.Process.Kill()
	j.end()
	j.eventually("the leader to end", func() bool { return gone(group) })
	if read(j.file("ran")) != "" {
		t.Error("the command ran")
	}
}

func TestTheLeaderIsKilledWhileWaiting(t *testing.T) {
	j := sh(t, `echo ran`)
	lift := j.wait()
	j.start()
	unix.Kill(j.group(), unix.SIGTERM)
	j.eventually("the leader to end", func() bool { return ended(j.group()) })
	lift()
	wantSignal(t, j.end(), unix.SIGTERM)
	if j.out.Len() > 0 {
		t.Error("the command ran")
	}
}

func TestMembersOutliveAKill(t *testing.T) {
	j := sh(t, `exec >/dev/null 2>&1; (trap '' TERM; while :; do echo x >>"$1"; sleep 0.05; done) & wait`)
	j.Args = append(j.Args, j.file("log"))
	j.start()
	j.eventuallyFile("log")
	group := j.group()
	j.Process.Kill()
	j.end()
	// Where the system has a parent-death signal the shell is gone, here or there its child is not.
	if deathSignal {
		j.eventually("the leader to get its parent's death signal", func() bool { return ended(group) })
	}
	before := len(read(j.file("log")))
	j.eventually("the log to grow", func() bool { return len(read(j.file("log"))) > before+4 })
	if gone(group) {
		t.Error("the group is said to be gone, and writes")
	}
	unix.Kill(-group, unix.SIGKILL)
	j.eventually("the group to end", func() bool { return gone(group) })
}
