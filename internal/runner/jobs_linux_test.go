package runner

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/runner/ptytest"
)

// The commands here loop without a child: the key would stop that one, too, and if it is a vfork that has not yet come to
// its execve, then the shell is never stopped, with or without a program in between.

// ticker is a command that shows that it runs, and ends at a line from the terminal.
const ticker = `(while :; do echo tick; sleep 0.05; done) & read x; kill $!; echo "got <$x>"; exit 9`

func TestStopForegroundAndBackground(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"without", "", ""},
		{"with", "$run ", ""},
		{"with, to a pager", "set -o pipefail; $run ", " | cat"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, tty := shell(t)
			tty.Type(c.before + "sh -c '" + ticker + "'" + c.after + "\n")
			for range 2 {
				tty.Expect(`tick`)
				tty.Type(ctrlZ)
				tty.Expect(`Stopped.*`)
				tty.Expect(`<148>`)
				tty.Type("jobs; echo still\n")
				tty.Expect(`Stopped[^\x00]*still`)
				tty.Type("fg\n")
				tty.Expect(`(?s)sh -c.*\n`) // the line is shown again
			}
			tty.Expect(`tick`)
			tty.Type("words\n")
			tty.Expect(`got <words>`)
			tty.Expect(`<9>`)
		})
	}
}

func TestBackgroundThenForeground(t *testing.T) {
	for _, run := range []string{"", "$run "} {
		t.Run("run="+run, func(t *testing.T) {
			_, tty := shell(t)
			// From the start in the background: stopped when it reads, and then fetched.
			tty.Type(run + "sh -c 'read x; echo \"got <$x>\"' &\n")
			tty.Expect(`<0>`)
			waitStopped(tty)
			tty.Type("fg\n")
			tty.Type("one\n")
			tty.Expect(`got <one>`)
			tty.Expect(`<0>`)

			// Stopped by the key, sent to the background, where it runs, and fetched while it runs.
			bash := tty.Foreground()
			tty.Type(run + "sh -c 'echo ready; while ! [ -e flag ]; do :; done; echo seen; while [ -e flag ]; do :; done; read x; echo \"got <$x>\"'\n")
			tty.Expect(`ready`)
			tty.Type(ctrlZ)
			tty.Expect(`<148>`)
			tty.Type("bg; touch flag\n")
			tty.Expect(`\nseen\n`)
			tty.Type("fg\n")
			tty.Expect(`sh -c.*\n`) // shown before bash gives the terminal away, and who read just then would be stopped
			eventually(t, "bash to give the terminal away", func() bool { return tty.Foreground() != bash })
			if err := os.Remove(tty.Dir() + "/flag"); err != nil {
				t.Fatal(err)
			}
			tty.Type("two\n")
			tty.Expect(`got <two>`)
			tty.Expect(`<0>`)
		})
	}
}

// waitStopped asks the shell for its jobs until one is stopped.
func waitStopped(tty *ptytest.Terminal) {
	tty.Type("until jobs | grep Stopped; do sleep 0.05; done\n")
	tty.Expect(`Stopped`)
	tty.Expect(`<0>`)
}

func TestSignalsToABackgroundJob(t *testing.T) {
	_, tty := shell(t)
	tty.Type("$run sh -c 'trap \"echo got TERM; exit 6\" TERM; echo ready; while :; do :; done' & sleep 0\n")
	tty.Expect(`ready`)
	tty.Type("kill %1; wait %1\n")
	tty.Expect(`got TERM`)
	tty.Expect(`<6>`)
	if n := strings.Count(tty.Screen(), "\ngot TERM\n"); n != 1 {
		t.Errorf("SIGTERM came %d times", n)
	}
}

// A script's shell and all that it runs are one job, which stops and goes on as one.
func TestStopOfAScript(t *testing.T) {
	for _, run := range []string{"", "$run "} {
		for _, reads := range []string{"", "read x </dev/tty; "} {
			t.Run(strings.TrimSpace(run+reads), func(t *testing.T) {
				_, tty := shell(t)
				script := run + "sh -c '" + reads + "echo ready; while ! [ -e flag ]; do :; done; exit 4'\necho next $?\n"
				if err := os.WriteFile(tty.Dir()+"/s", []byte(script), 0o666); err != nil {
					t.Fatal(err)
				}
				tty.Type("sh s\n")
				if reads != "" {
					tty.Type("\n")
				}
				tty.Expect("ready")
				tty.Type(ctrlZ)
				tty.Expect(`<148>`)
				tty.Type("touch flag; fg\n")
				tty.Expect("next 4")
				tty.Expect(`<0>`)
			})
		}
	}
}

// Somebody who stops the command by its pid continues it by its pid: this process must not be stopped then.
func TestStoppedByItsPid(t *testing.T) {
	j := sh(t, `trap 'exit 5' TERM; echo ready >"$1"; while :; do :; done`)
	j.Args = append(j.Args, j.file("ready"))
	j.start()
	j.eventuallyFile("ready")
	group := j.group()
	for _, sig := range []unix.Signal{unix.SIGSTOP, unix.SIGTSTP} {
		unix.Kill(-group, sig)
		j.eventually("the command to stop", func() bool { return stateOf(group) == "T" })
		unix.Kill(-group, unix.SIGCONT)
		j.eventually("the command to go on", func() bool { return stateOf(group) != "T" })
	}
	if s := stateOf(j.Process.Pid); s == "T" {
		t.Error("stopped, too")
	}
	j.Process.Signal(unix.SIGTERM)
	wantCode(t, j.end(), 5)
}

// A stop signal to this process stops the command and then this process, for a shell that watches it.
func TestStoppedBySignal(t *testing.T) {
	j := sh(t, `trap 'exit 5' TERM; echo ready >"$1"; while :; do :; done`)
	j.Args = append(j.Args, j.file("ready"))
	j.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	j.start()
	j.eventuallyFile("ready")
	group := j.group()
	j.Process.Signal(unix.SIGTSTP)
	j.eventually("both to stop", func() bool { return stateOf(group) == "T" && stateOf(j.Process.Pid) == "T" })
	j.Process.Signal(unix.SIGCONT)
	j.eventually("both to go on", func() bool { return stateOf(group) != "T" && stateOf(j.Process.Pid) != "T" })
	j.Process.Signal(unix.SIGTERM)
	wantCode(t, j.end(), 5)
}

// Where no shell could continue it, the kernel lets the terminal's keys stop nobody.
func TestNobodyIsStoppedWithoutAShell(t *testing.T) {
	j := command(t)
	tty := ptytest.Open(t)
	cmd := exec.Command(j.Path, append(j.Args[1:], "sh", "-c", ticker)...)
	tty.Start(cmd)
	tty.Expect(`tick`)
	tty.Type(ctrlZ)
	for range 20 {
		tty.Expect(`tick`) // it may have stopped for a moment
	}
	tty.Type("words\n")
	tty.Expect(`got <words>`)
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 9 {
		t.Errorf("ended with %v", err)
	}
}

// A pager has the keyboard while the command writes; a command that asks for a password gets it, and gives it back.
func TestPagerAndCommandShareTheTerminal(t *testing.T) {
	for _, run := range []string{"", "$run "} {
		t.Run("run="+run, func(t *testing.T) {
			_, tty := shell(t)
			tty.Type(run + `sh -c 'read x </dev/tty; echo "command <$x>"; sleep 600' | ` +
				`sh -c 'read line; echo "$line"; stty -echo </dev/tty; echo "set"; read y </dev/tty; echo "pager <$y>"; kill -TERM 0'` + "\n")
			tty.Type("secret\n")
			tty.Expect(`command <secret>`)
			tty.Expect(`set`)
			tty.Type("q\n")
			tty.Expect(`pager <q>`)
			tty.Expect(`<\d+>`)
		})
	}
}

func stateOf(pid int) string {
	for line := range strings.Lines(read("/proc/" + strconv.Itoa(pid) + "/status")) {
		if state, ok := strings.CutPrefix(line, "State:"); ok {
			return strings.TrimSpace(state)[:1]
		}
	}
	return ""
}
