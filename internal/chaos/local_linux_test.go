package chaos

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// here is a process on this machine.
type here struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.Reader
	err   io.Reader
	ended chan struct{}
}

func (p *here) Signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }
func (p *here) Write(b []byte) (int, error)     { return p.in.Write(b) }
func (p *here) Output() io.Reader               { return p.out }
func (p *here) Errors() io.Reader               { return p.err }
func (p *here) Wait(ctx context.Context) (int, error) {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return -1, ctx.Err()
	}
}

// startHere starts a witness on this machine, which is killed when the test ends.
func startHere(t *testing.T, h *hearing, name string, r role) *witness {
	t.Helper()
	p := &here{cmd: exec.Command("/proc/self/exe"), ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), r.env())
	out, outW, err := os.Pipe() // Wait must not close what is still being read
	if err != nil {
		t.Fatal(err)
	}
	errs, errsW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr, p.out, p.err = outW, errsW, out, errs
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	outW.Close()
	errsW.Close()
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	w := h.listen(name, r.Name, "here", "here", p)
	h.askTime(w)
	t.Cleanup(func() {
		h.kill(w)
		w.said.Wait()
		out.Close()
		errs.Close()
	})
	return w
}

// here is a trial on this machine's own file system for a while: n workers of which the first may be broken, each stopped once in a while.
func hereTrial(t *testing.T, broken string) Report {
	t.Helper()
	h := newHearing()
	r := role{
		Dir: t.TempDir(), Locks: 1,
		Settings: Settings{Heartbeat: 100 * time.Millisecond, Stale: 3 * time.Second, Poll: 100 * time.Millisecond, ServerClock: true, Slack: 2 * time.Second},
	}
	r.Name = "watch"
	watch := startHere(t, h, "srv", r)
	r.Name = "probe"
	probe := startHere(t, h, "probe", r)
	r.Name = "worker"
	var workers []*witness
	for i := range 4 {
		one := r
		if one.Seed = uint64(i); i == 0 {
			one.Broken = broken
		}
		workers = append(workers, startHere(t, h, string(rune('a'+i)), one))
	}
	for end := time.Now().Add(6 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		w := h.holder("lock-0")
		if w == nil || w == workers[0] {
			continue
		}
		w.proc.Signal(syscall.SIGSTOP)
		time.Sleep(time.Second)
		w.proc.Signal(syscall.SIGCONT)
	}
	trial := h.trial(r.Settings)
	for _, w := range append(workers, watch, probe) {
		io.WriteString(w.proc, wordEnd+"\n")
	}
	for _, w := range workers {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if code, err := w.proc.Wait(ctx); code != 0 {
			t.Errorf("%s ended with %d, %v", w.name, code, err)
		}
		cancel()
	}
	if len(h.problem) > 0 {
		t.Errorf("what went wrong besides:\n%s", strings.Join(h.problem, "\n"))
	}
	return Judge(trial)
}

func TestWorkersHere(t *testing.T) {
	t.Parallel()
	r := hereTrial(t, "")
	if len(r.Faults) > 0 || r.Entered < 3 || r.Unseen > 0 {
		t.Errorf("%+v", r)
	}
	t.Logf("%+v", r)
}

// A worker that removes stamps by their age alone is seen by the judge.
func TestThiefIsSeen(t *testing.T) {
	t.Parallel()
	if r := hereTrial(t, "thief"); !strings.Contains(r.rules(), RuleRobbed) {
		t.Errorf("the judge saw %+v", r)
	}
}
