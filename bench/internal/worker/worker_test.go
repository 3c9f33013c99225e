package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/kit"
)

// As "parent", the test binary is a driver that dies with a worker under way.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "parent" {
		w, err := Start([]string{"sleep", "60"}, nil, os.Stderr)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(w.Pid())
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

func shell(t *testing.T, script string) *Worker {
	t.Helper()
	errlog, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := Start([]string{"sh", "-c", script}, []string{"GREETING=hello"}, errlog)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Kill(); errlog.Close() })
	return w
}

const generous = 30 * time.Second

func TestLines(t *testing.T) {
	w := shell(t, `echo $GREETING; read x; echo "got $x"; sleep 0.2`)
	if line, err := w.Line(generous); line != "hello" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := w.Line(10 * time.Millisecond); !errors.Is(err, ErrLate) {
		t.Fatalf("%q, %v, want ErrLate", line, err)
	}
	w.Send("this")
	if line, err := w.Line(generous); line != "got this" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := w.Line(generous); !errors.Is(err, ErrEnd) {
		t.Fatalf("%q, %v, want ErrEnd", line, err)
	}
}

func TestExpect(t *testing.T) {
	w := shell(t, `echo NOISE; echo DONE 1; echo ACQ 42; echo READY; echo ACQ x; echo ERR it broke; echo ACQ 7`)
	if n, err := w.Expect("ACQ", generous); n != 42 || err != nil {
		t.Errorf("%d, %v, want 42", n, err)
	}
	if n, err := w.Expect("READY", generous); n != 0 || err != nil {
		t.Errorf("%d, %v, want a word without a number", n, err)
	}
	if n, err := w.Expect("ACQ", generous); err == nil {
		t.Errorf("%d, want an error: it is no number", n)
	}
	if n, err := w.Expect("ACQ", generous); err == nil || err.Error() != "it broke" {
		t.Errorf("%d, %v, want the worker's own error", n, err)
	}
	if _, err := w.Expect("REL", generous); !errors.Is(err, ErrEnd) {
		t.Errorf("%v, want ErrEnd", err)
	}
}

func TestExpectIsLate(t *testing.T) {
	w := shell(t, `while sleep 0.05; do echo DONE; done`)
	if _, err := w.Expect("ACQ", 200*time.Millisecond); !errors.Is(err, ErrLate) {
		t.Errorf("%v, want ErrLate though there are lines", err)
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	if _, err := Start([]string{"/nonexistent/worker"}, nil, os.Stderr); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want that it does not exist", err)
	}
}

// Killing ends children too, and says when.
func TestKillEndsTheTree(t *testing.T) {
	w := shell(t, `sleep 60 & echo PID $!; wait`)
	child, err := w.Expect("PID", generous)
	if err != nil {
		t.Fatal(err)
	}
	if tree := Tree(w.Pid()); len(tree) != 2 || tree[1] != int(child) {
		t.Errorf("tree %v, want %d and %d", tree, w.Pid(), child)
	}
	before := kit.Now()
	if at := w.Kill(); at < before || at > kit.Now() {
		t.Errorf("killed at %d", at)
	}
	gone(t, int(child))
	gone(t, w.Pid())
}

// gone waits for a process to be no more than a zombie that its parent has not met yet.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(generous); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if _, rest, _ := cutLast(string(text), ')'); err != nil || strings.HasPrefix(rest, " Z") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d is still there", pid)
		}
	}
}

func TestFinishKillsWhatDoesNotEnd(t *testing.T) {
	ends, stays := shell(t, `read x; exit`), shell(t, `while :; do sleep 60; done`)
	ends.Finish()
	stays.Finish()
	for _, w := range []*Worker{ends, stays} {
		gone(t, w.Pid())
	}
}

func TestWorkersDieWithTheDriver(t *testing.T) {
	parent := exec.Command(os.Args[0], "parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	_, err = fmt.Fscanln(out, &pid)
	parent.Process.Kill()
	parent.Wait()
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	gone(t, pid)
}

func TestCPUCountsTheTree(t *testing.T) {
	busy, idle := shell(t, `(while kill -0 $$; do :; done) & echo READY; wait`), shell(t, `echo READY; read x`)
	for _, w := range []*Worker{busy, idle} {
		if _, err := w.Expect("READY", generous); err != nil {
			t.Fatal(err)
		}
	}
	rest := CPU(idle)
	for end := time.Now().Add(generous); CPU(busy) < 100e6; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("a busy loop has used %d ns", CPU(busy))
		}
	}
	if used := CPU(idle) - rest; used > 10e6 {
		t.Errorf("who waits for input has used %d ns", used)
	}
	if used := CPU(busy); used%1e6 == 0 {
		t.Errorf("%d ns: that is counted in ticks", used)
	}
	if both := CPU(busy, idle); both < 100e6 {
		t.Errorf("both together: %d ns", both)
	}
	if n := idle.Threads(); n != 1 {
		t.Errorf("a shell has %d threads", n)
	}
}

// A traced loop of known calls.
func TestTrace(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace")
	}
	dir := t.TempDir()
	// No child: strace may wait for ever for a shell that waits for its vfork.
	w := shell(t, `echo READY; while :; do cd `+dir+`; cd /; kill -0 $$; done`)
	if _, err := w.Expect("READY", generous); err != nil {
		t.Fatal(err)
	}
	c, err := w.Trace(time.Second, dir, filepath.Join(t.TempDir(), "trace"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Lock == 0 || c.Files == 0 || c.Other == 0 {
		t.Errorf("%+v: some of each were made", c)
	}
}
