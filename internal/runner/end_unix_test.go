//go:build unix

package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestExitCodeIsTheCommands(t *testing.T) {
	for _, code := range []int{0, 1, 7, 75, 255} {
		wantCode(t, sh(t, fmt.Sprint("exit ", code)).run(), code)
	}
}

func TestDiesAsTheCommandDied(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGTERM, unix.SIGPIPE, unix.SIGKILL} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			j := sh(t, fmt.Sprintf("kill -%d $$", sig))
			wantSignal(t, j.run(), sig)
			if j.errout.Len() > 0 {
				t.Errorf("said %q", j.errout.String())
			}
		})
	}
	for _, sig := range []syscall.Signal{unix.SIGQUIT, unix.SIGUSR1, unix.SIGABRT, unix.SIGALRM} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			j := sh(t, fmt.Sprintf("ulimit -c 0; kill -%d $$", sig))
			wantCode(t, j.run(), 128+int(sig))
			if j.errout.Len() > 0 {
				t.Errorf("said %q", j.errout.String())
			}
		})
	}
}

func TestWhatCannotBeRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "", 0o644)
	write("script", "echo plain \"$@\"\n", 0o755)
	noInterpreter := write("nointerpreter", "#!/nonexistent/interpreter\n", 0o755)
	binary := write("binary", "\x7fELF\x00garbage", 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))

	for _, c := range []struct {
		name string
		code int
		said string
	}{
		{"no-such-command", 127, "not found"},
		{"/nonexistent/command", 127, "no such file"},
		{plain + "/command", 127, "not a directory"},
		{"", 127, "not found"},
		{dir, 126, "directory"},
		{plain, 126, "permission denied"},
		{"plain", 126, "permission denied"},
		{noInterpreter, 127, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := command(t, c.name)
			wantCode(t, j.run(), c.code)
			if got := j.errout.String(); !strings.Contains(got, c.said) || strings.Count(got, "\n") != 1 {
				t.Errorf("said %q, want one line with %q", got, c.said)
			}
		})
	}
	t.Run("a script without an interpreter's name", func(t *testing.T) {
		j := command(t, "script", "a", "--b")
		wantCode(t, j.run(), 0)
		if got := j.out.String(); got != "plain a --b\n" {
			t.Errorf("wrote %q", got)
		}
	})
	t.Run("garbage", func(t *testing.T) {
		if status := command(t, binary).run(); !status.Exited() || status.ExitStatus() < 2 {
			t.Errorf("ended with %s", ending(status))
		}
	})
}

func TestStaysUntilTheGroupHasEnded(t *testing.T) {
	flag, said := filepath.Join(t.TempDir(), "flag"), filepath.Join(t.TempDir(), "said")
	j := sh(t, `(until [ -e "$1" ]; do sleep 0.05; done; echo late) & exit 3`, flag)
	var err error
	if j.Stderr, err = os.Create(said); err != nil {
		t.Fatal(err)
	}
	j.start()
	j.eventually("why it does not end", func() bool { return strings.Contains(read(said), "keeps the lock") })
	if err := os.WriteFile(flag, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	wantCode(t, j.end(), 3)
	if j.out.String() != "late\n" {
		t.Errorf("wrote %q: did not wait", j.out.String())
	}
	if got := read(said); strings.Count(got, "said: ") != 1 {
		t.Errorf("said %q", got)
	}
}

func TestAskedWhatIsLeftOfAGroup(t *testing.T) {
	// Gone is for groups of zombies; here it declares a living one to be one.
	asked := 0
	p, err := Start(Command{Path: "/bin/sh", Args: []string{"sh", "-c", "sleep 600 & exit 3"}, Gone: func(group int) bool {
		asked = group
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { group(p.Group()).send(unix.SIGKILL) })
	if out := p.Run(&fileLock{path: t.TempDir(), ctx: t.Context()}); out.Code != 3 || asked != p.Group() {
		t.Errorf("outcome %+v, asked about %d, not %d", out, asked, p.Group())
	}
}

func TestWhoLeavesTheGroupIsNotWaitedFor(t *testing.T) {
	j := sh(t, `setsid sh -c 'echo $$ >"$1"; exec sleep 600' sh "$1" >/dev/null 2>&1 & exit 3`)
	j.Args = append(j.Args, j.file("pid"))
	wantCode(t, j.run(), 3)
	var pid int
	fmt.Sscan(j.eventuallyFile("pid"), &pid)
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Errorf("it did not live on: %v", err)
	}
}
