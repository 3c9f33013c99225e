package stamp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A leader that has left by pthread_exit is shown as Z, but its threads live.
func TestAskZombieLeader(t *testing.T) {
	bin := compile(t, leaderLeaves)
	h := startProgram(t, nil, bin)
	waitFor(t, "zombie leader", func() bool { return stateOf(t, h.pid) == "Z" })
	s := stampOf(t, h.pid)
	blind := Self()
	blind.ProcOurs = false
	for range 100 {
		want(t, Ask(Self(), s), Alive, "it is there")
		want(t, Ask(blind, s), Alive, "it is there")
	}
	if how, dead := here.exited(h.pid); dead {
		t.Errorf("pidfd: %s", how)
	}
	zombify(t, h.pid)
	want(t, Ask(Self(), s), Dead, "pidfd")
	want(t, Ask(blind, s), Dead, "pidfd")
}

// A thread other than the first that calls execve takes over the leader's pid
// and start time; a reader in between must not take the leader's remains for
// the process.
func TestAskExecByThread(t *testing.T) {
	bin := compile(t, threadExecs)
	h := startProgram(t, nil, bin)
	s := stampOf(t, h.pid)
	id := Self()
	for range 5000 {
		if ev := Ask(id, s); ev.Answer != Alive {
			t.Fatalf("%v (%s)", ev.Answer, ev.How)
		}
	}
	zombify(t, h.pid)
	want(t, Ask(id, s), Dead, "pidfd")
}

// One poll may be wrong, see exited. Here the first one is made so: it answers 1
// and leaves a pollfd that reads fd 0, POLLIN, POLLIN.
func TestAskOneReadablePollProvesNothing(t *testing.T) {
	needRoot(t)
	log := filepath.Join(t.TempDir(), "log")
	h := startHelper(t, nil, strace(t, log, "poll,ppoll", "retval=1:poke_exit=@arg1=0000000001000100:when=1")...)
	want(t, h.ask(question{Stamp: stampOf(t, os.Getpid())}), Alive, "it is there")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Count(got, "revents=POLLIN") != 1 || !strings.Contains(got, "Timeout") {
		t.Errorf("not one false poll and a true one:\n%s", got)
	}
}
