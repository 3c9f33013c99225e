package stamp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"testing"
)

// contained starts a program as the first of a pid namespace, and returns its pid here.
func contained(t *testing.T, program string) (h *helper, pid int) {
	t.Helper()
	needRoot(t)
	h = startProgram(t, nil, "unshare", "-pf", "--kill-child", "--mount-proc", program)
	waitFor(t, "its parent has a child", func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", h.pid))
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Sscan(string(text), &pid)
		return err == nil
	})
	return h, pid
}

func TestAskAcross(t *testing.T) {
	h, pid := contained(t, os.Args[0])
	id := h.self()
	s := Stamp{Version: Version, PID: id.PID, Start: id.Start, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS}
	if id.PID != 1 || !Self().Across(s) {
		t.Fatalf("not in a container: %+v", id)
	}
	want(t, AskAcross(Self(), s), Alive, fmt.Sprintf("it is pid %d here", pid))
	want(t, Ask(Self(), s), Unknown, "not asked")

	other := s
	other.PID = 2
	want(t, AskAcross(Self(), other), Dead, "no process here is pid 2")
	again := s
	again.Start++
	want(t, AskAcross(Self(), again), Dead, "started again")
	again.TimeNS++
	want(t, AskAcross(Self(), again), Alive, "it is pid")

	// From within one cannot look out.
	s2 := stampOf(t, os.Getpid())
	if ev := h.ask(question{Stamp: s2, Across: true}); ev.Answer != Unknown {
		t.Errorf("asked from a container: %+v", ev)
	}

	h.in.Close()
	h.reap()
	waitFor(t, "it is gone", func() bool {
		_, err := os.Stat("/proc/" + strconv.Itoa(pid))
		return errors.Is(err, fs.ErrNotExist)
	})
	answer, how := Dead, "no process here is pid 1"
	if Self().PIDNS != initialPIDNS {
		answer, how = Unknown, "no process of its pid namespace"
	}
	want(t, AskAcross(Self(), s), answer, how)
}

// The first thread of the owner is exchanged for another all the while: no look may miss it, or two in a row.
func TestAskAcrossExecByThread(t *testing.T) {
	_, pid := contained(t, compile(t, threadExecs))
	s := Stamp{Version: Version, PID: 1, Boot: Self().Boot}
	waitFor(t, "it has a namespace of its own", func() bool {
		link, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
		s.PIDNS = parseNamespace("pid", link)
		return s.PIDNS != 0 && s.PIDNS != Self().PIDNS
	})
	times := 100
	if testing.Short() {
		times = 20
	}
	alive := 0
	for range times {
		switch ev := AskAcross(Self(), s); ev.Answer {
		case Dead:
			t.Fatalf("it lives: %s", ev.How)
		case Alive:
			alive++
		}
	}
	if alive == 0 {
		t.Error("it was never seen alive, so this was no test")
	}
}
