package netlab_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

var kinds = []string{"nfs4", "nfs3", "smb"}

func TestLab(t *testing.T) {
	begin := time.Now()
	lab := netlab.Start(t, "a", "b")
	t.Logf("three kernels in %v", time.Since(begin).Round(10*time.Millisecond))
	for _, test := range []struct {
		name string
		run  func(*testing.T, *netlab.Lab)
	}{
		{"Kernels", testKernels}, {"Commands", testCommands}, {"Signals", testSignals}, {"Files", testFiles},
		{"Mounts", testMounts}, {"Clock", testClock}, {"Cut", testCut}, {"Netem", testNetem}, {"Power", testPower},
		{"ServerReboot", testServerReboot},
	} {
		begin := time.Now()
		ok := t.Run(test.name, func(t *testing.T) { test.run(t, lab) })
		t.Logf("%s: %v", test.name, time.Since(begin).Round(10*time.Millisecond))
		if !ok {
			t.FailNow()
		}
	}
}

func testKernels(t *testing.T, lab *netlab.Lab) {
	seen := map[string]string{}
	for _, h := range lab.Hosts() {
		if name := h.Must("hostname"); name != h.Name {
			t.Errorf("%s calls itself %s", h.Name, name)
		}
		id := h.Must("cat", "/proc/sys/kernel/random/boot_id")
		if other := seen[id]; other != "" {
			t.Errorf("%s and %s have one boot id", h.Name, other)
		}
		seen[id] = h.Name
		// A first process that reaps nobody would leave the dead of others as zombies.
		h.Must("sh", "-c", "(sleep 0.05 &)")
		until(t, "no zombie on "+h.Name, func() bool {
			return !strings.Contains(h.Must("sh", "-c", "cat /proc/[0-9]*/stat"), ") Z ")
		})
	}
	if h := lab.Client("b"); h != lab.Clients()[1] {
		t.Errorf("b is %v", h)
	}
	// Without it a server has nobody to ask who its clients were, and newer ones then are in grace whenever they start.
	if !runs(lab.Server, "nfsdcld\x00") {
		t.Error("the NFS server's memory of its clients does not run")
	}
	// Until then it delegates nothing, and the tests of what delegations do would pass whatever they do.
	if over := lab.Server.Must("head", "-n1", "/proc/fs/lockd/nlm_end_grace"); over != "Y" {
		t.Errorf("the grace period of locks is over: %q", over)
	}
}

func testCommands(t *testing.T, lab *netlab.Lab) {
	a := lab.Client("a")
	r, err := a.Run(t.Context(), []string{"WORD=blue"}, "sh", "-c", "echo $WORD; echo no >&2; exit 3")
	if want := (netlab.Result{Stdout: "blue\n", Stderr: "no\n", Code: 3}); r != want || err != nil {
		t.Errorf("%+v, %v, want %+v", r, err, want)
	}
	if r, err := a.Run(t.Context(), nil, "sh", "-c", "kill -9 $$"); r.Code != 137 || err != nil {
		t.Errorf("killed: %+v, %v", r, err)
	}
	if r, err := a.Run(t.Context(), nil, "nonesuch"); err == nil {
		t.Errorf("there is no such command: %+v", r)
	}
	// A daemon that keeps the output open holds nobody up.
	if r, err := a.Run(t.Context(), nil, "sh", "-c", "sleep 100 & echo $!"); err != nil || r.Code != 0 {
		t.Errorf("%+v, %v", r, err)
	} else {
		a.Must("kill", strings.TrimSpace(r.Stdout))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if r, err := a.Run(ctx, nil, "sleep", "10001"); err == nil {
		t.Errorf("it sleeps for three hours, and yet: %+v", r)
	}
	until(t, "who takes too long is killed", func() bool { return !runs(a, "sleep\x0010001") })

	// Much output that nobody reads yet, and much input.
	p := a.Start(nil, "sh", "-c", "yes | head -c 3000000; exec wc -c")
	if _, err := io.WriteString(p.Stdin, strings.Repeat("x", 3_000_000)); err != nil {
		t.Error(err)
	}
	p.Stdin.Close()
	if code, err := p.Wait(t.Context()); code != 0 || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	out, err := io.ReadAll(p.Stdout)
	if err != nil || len(out) != 3_000_008 || !strings.HasSuffix(string(out), "\n3000000\n") {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// runs reports whether a process with such a command line runs on the host.
func runs(h *netlab.Host, cmdline string) bool {
	return strings.Contains(h.Must("sh", "-c", "cat /proc/[0-9]*/cmdline"), cmdline)
}

func state(h *netlab.Host, p *netlab.Process) string {
	_, rest, _ := strings.Cut(h.Must("cat", fmt.Sprintf("/proc/%d/stat", p.Pid)), ") ")
	return rest[:1]
}

func testSignals(t *testing.T, lab *netlab.Lab) {
	a := lab.Client("a")
	p := a.Start(nil, "cat")
	send := func(sig syscall.Signal) {
		t.Helper()
		if err := p.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	send(syscall.SIGSTOP)
	until(t, "it has stopped", func() bool { return state(a, p) == "T" })
	// Input that it does not read keeps no signal from it.
	if _, err := io.WriteString(p.Stdin, strings.Repeat("x", 1_000_000)); err != nil {
		t.Fatal(err)
	}
	send(syscall.SIGCONT)
	until(t, "it goes on", func() bool { return state(a, p) == "S" })
	send(syscall.SIGTERM)
	if code, err := p.Wait(t.Context()); code != 143 || err != nil {
		t.Errorf("%d, %v", code, err)
	}

	p = a.Start(nil, "sh", "-c", "sleep 10002 & wait")
	until(t, "it has a child", func() bool { return runs(a, "sleep\x0010002") })
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(t.Context()); code != 137 || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	until(t, "the group is gone", func() bool { return !runs(a, "sleep\x0010002") })
}

// until waits for a condition that is sure to come.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never came: %s", what)
		}
	}
}
