//go:build darwin || freebsd || linux || netbsd || openbsd

package stamp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// The test binary is the other process: with this variable set it becomes the user that it names ("" stays who it is), says who it
// is, and answers for each stamp on a line of its standard input what it is told about that one.
const liveEnv = "STAMP_TEST_LIVE"

func init() {
	if user, ok := os.LookupEnv(liveEnv); ok {
		if err := live(user); err != nil {
			fmt.Fprintln(os.Stderr, "live:", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
}

func live(user string) error {
	id := Self() // as root: who has changed its user may not see its own /proc any more
	var uid int
	if n, _ := fmt.Sscan(user, &uid); n == 1 {
		if err := syscall.Setuid(uid); err != nil {
			return err
		}
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(id); err != nil {
		return err
	}
	for in := json.NewDecoder(os.Stdin); ; {
		var s Stamp
		switch err := in.Decode(&s); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		if err := out.Encode(Ask(id, s)); err != nil {
			return err
		}
	}
}

// A liveProcess is another process of this host.
type liveProcess struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
	id  Identity
}

// startLive starts one, of another user if that is not empty.
func startLive(t *testing.T, user string) *liveProcess {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &liveProcess{t: t, cmd: exec.Command(exe)}
	p.cmd.Env = append(os.Environ(), liveEnv+"="+user)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	p.out = json.NewDecoder(bufio.NewReader(out))
	if err := p.out.Decode(&p.id); err != nil {
		t.Fatal("it does not say who it is:", err)
	}
	return p
}

// kill ends it, and waits until nothing is left of it.
func (p *liveProcess) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// ask returns what it is told about the owner of a stamp.
func (p *liveProcess) ask(s Stamp) (ev Evidence) {
	p.t.Helper()
	if err := json.NewEncoder(p.in).Encode(s); err != nil {
		p.t.Fatal(err)
	}
	if err := p.out.Decode(&ev); err != nil {
		p.t.Fatal(err)
	}
	return ev
}

// liveStamp is the stamp of a lock that this process holds, as others read it from the name.
func liveStamp(t *testing.T, id Identity) Stamp {
	t.Helper()
	s := Stamp{Version: Version, UUID: uuid.New(), PID: id.PID, Start: id.Start, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS,
		Heartbeat: 1e9, Stale: 30e9, HostHash: HostHash(id.Host), Label: Label(id.Host)}
	read, err := Parse(s.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !Self().SameHost(read) {
		t.Fatal("a process that this one started is not on its host")
	}
	return read
}

// What everybody on this host is told of a process: it is there while it runs or is stopped, and gone when it was killed.
func TestLiveProcess(t *testing.T) {
	p := startLive(t, "")
	s := liveStamp(t, p.id)
	alive := func(when string) {
		t.Helper()
		if ev := Ask(Self(), s); ev.Answer != Alive {
			t.Errorf("%s: %+v", when, ev)
		}
	}
	alive("running")
	if err := p.cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	alive("stopped")
	if err := p.cmd.Process.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if ev := p.ask(s); ev.Answer != Alive {
		t.Errorf("of itself: %+v", ev)
	}
	other := startLive(t, "")
	if ev := other.ask(s); ev.Answer != Alive {
		t.Errorf("another one is told: %+v", ev)
	}
	p.kill()
	for who, ev := range map[string]Evidence{"this process": Ask(Self(), s), "another one": other.ask(s)} {
		if ev.Answer != Dead {
			t.Errorf("it was killed, and %s is told: %+v", who, ev)
		}
	}
}

// A process of another user must not be signalled, which shows that it is there. Of one that is gone everybody is told.
func TestLiveProcessOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to start a process of another user")
	}
	const nobody = "65534"
	p := startLive(t, "")
	s := liveStamp(t, p.id)
	other := startLive(t, nobody)
	if ev := other.ask(s); ev.Answer != Alive || !strings.Contains(ev.How, "EPERM") {
		t.Errorf("of one that runs: %+v", ev)
	}
	if ev := other.ask(liveStamp(t, Self())); ev.Answer != Alive || !strings.Contains(ev.How, "EPERM") {
		t.Errorf("of the test: %+v", ev)
	}
	if ev := Ask(Self(), liveStamp(t, other.id)); ev.Answer != Alive {
		t.Errorf("of the other user's: %+v", ev)
	}
	p.kill()
	if ev := other.ask(s); ev.Answer != Dead {
		t.Errorf("of one that was killed: %+v", ev)
	}
}
