package runner

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/aac6cccc/mkdirlock/internal/runner/ptytest"
)

const (
	ctrlC         = "\x03"
	ctrlZ         = "\x1a"
	ctrlBackslash = "\x1c"
)

// shell is an interactive bash with job control on a terminal, in which $run runs a command as the program under test.
// It shows "<code>" and the exit code of every line before it reads the next.
func shell(t *testing.T) (*job, *ptytest.Terminal) {
	t.Helper()
	j := command(t)
	tty := ptytest.Open(t)
	bash := exec.Command("bash", "--norc", "--noprofile", "--noediting", "-i")
	bash.Dir = t.TempDir()
	bash.Env = append(os.Environ(), "TERM=dumb", "HISTFILE=", "run="+strings.Join(j.Args, " "), "dir="+j.file(""),
		"PS1=", "PS2=", "PROMPT_COMMAND=echo \"<$?>\"")
	tty.Start(bash)
	tty.Expect(`<0>`)
	return j, tty
}

func TestCommandReadsTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, line string }{
		{"alone", `$run sh -c 'read x; echo "got <$x>"'`},
		{"its child", `$run sh -c '(read x </dev/tty; echo "got <$x>"); :'`},
		{"in a pipeline", `echo | $run sh -c 'read x </dev/tty; echo "got <$x>"' | cat`},
		{"in a script", `echo '$run sh -c "read x; echo \"got <\$x>\""' >s; sh s`},
		{"as a shell of its own", `$run bash --norc --noediting -ic 'read x; echo "got <$x>"'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, tty := shell(t)
			tty.Type(c.line + "\n")
			tty.Type("words\n")
			tty.Expect(`got <words>`)
			tty.Expect(`<0>`)
			tty.Type("read y; echo \"shell <$y>\"\nmore\n") // which has its terminal back
			tty.Expect(`shell <more>`)
		})
	}
}

func TestCommandHasTheTerminalOnlyWhenItRuns(t *testing.T) {
	j, tty := shell(t)
	lift := j.wait()
	tty.Type("$run sh -c 'echo started; while ! [ -e flag ]; do :; done'\n")
	group := j.group()
	if pid, _ := j.pids(); tty.Foreground() != pid {
		t.Errorf("while waiting the terminal is group %d's, not %d's", tty.Foreground(), pid)
	}
	lift()
	tty.Expect("started")
	if tty.Foreground() != group {
		t.Errorf("the terminal is group %d's, not the command's, %d", tty.Foreground(), group)
	}
	tty.Type(ctrlZ)
	tty.Expect(`<148>`)
	tty.Type("fg\n")
	tty.Expect(`sh -c .*\n`)
	eventually(t, "the command to have the terminal again", func() bool { return tty.Foreground() == group })
	if err := os.WriteFile(tty.Dir()+"/flag", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tty.Expect(`<0>`)
}

func TestKeysEndTheWait(t *testing.T) {
	j, tty := shell(t)
	j.wait()
	tty.Type("$run echo ran\n")
	group := j.group()
	tty.Type(ctrlC)
	tty.Type("echo \"code=$?=\"\n")
	tty.Expect(`code=130=`)
	if !gone(group) {
		t.Error("the leader is left behind")
	}
}

func TestKeysEndTheCommandAsWithout(t *testing.T) {
	for _, key := range []struct {
		name, char string
		code       int
	}{{"INT", ctrlC, 130}, {"QUIT", ctrlBackslash, 131}} {
		for _, c := range []struct{ name, before, after string }{
			{"without", "", ""},
			{"with", "$run ", ""},
			{"with, to a pager", "set -o pipefail; $run ", " | cat"},
		} {
			t.Run(key.name+" "+c.name, func(t *testing.T) {
				_, tty := shell(t)
				tty.Type("ulimit -c 0\n")
				tty.Expect(`<0>`)
				// A loop, and no child: dash swallows a key that comes between the vfork and the execve of one.
				tty.Type(c.before + `sh -c 'echo ready; while :; do :; done'` + c.after + "\n")
				tty.Expect("ready")
				tty.Type(key.char)
				// bash does not always come to its prompt's command when a key has ended one.
				tty.Type("echo \"code=$?=\"\n")
				tty.Expect(fmt.Sprintf("code=%d=", key.code))
				if screen := tty.Screen(); strings.Contains(screen, "goroutine") || strings.Contains(screen, "said:") {
					t.Error("more was said than without")
				}
			})
		}
	}
}

// A shell that runs a script ends when a key ends its command, which it sees by the signal that it gets itself. It goes on
// when the command makes something else of the signal.
func TestKeysInAScript(t *testing.T) {
	for _, run := range []string{"", "$run "} {
		for _, reads := range []string{"", "read x </dev/tty; "} { // then the terminal is the command's
			for _, c := range []struct {
				name, trap string
				want       string
			}{
				{"dies", "", `code=130=`},
				{"handles it", `trap "exit 4" INT; `, `next 4\n(?s:.*)code=0=`},
			} {
				t.Run(strings.Join(strings.Fields(c.name+" "+run+reads), " "), func(t *testing.T) {
					_, tty := shell(t)
					script := "echo $$ >pid\n" + run + "sh -c '" + c.trap + reads + "echo ready; while :; do :; done'\necho next $?\n"
					if err := os.WriteFile(tty.Dir()+"/s", []byte(script), 0o666); err != nil {
						t.Fatal(err)
					}
					tty.Type("bash s\n")
					if reads != "" {
						tty.Type("\n")
					}
					tty.Expect("ready")
					// Before it waits the shell takes the key for its own.
					eventually(t, "the script's shell to wait", func() bool { return waits(read(tty.Dir() + "/pid")) })
					tty.Type(ctrlC)
					tty.Type("echo \"code=$?=\"\n")
					tty.Expect(c.want)
				})
			}
		}
	}
}

// A script may have use for the key that its command has use for.
func TestKeysReachAScriptAndItsCommand(t *testing.T) {
	for _, run := range []string{"", "$run "} {
		t.Run("run="+run, func(t *testing.T) {
			_, tty := shell(t)
			script := "echo $$ >pid; trap 'echo trapped' INT\n" + run + "sh -c 'trap \"exit 4\" INT; echo ready; while :; do :; done'\necho next $?\n"
			if err := os.WriteFile(tty.Dir()+"/s", []byte(script), 0o666); err != nil {
				t.Fatal(err)
			}
			tty.Type("bash s\n")
			tty.Expect("ready")
			eventually(t, "the script's shell to wait", func() bool { return waits(read(tty.Dir() + "/pid")) })
			tty.Type(ctrlC)
			tty.Expect(`trapped\nnext 4`)
		})
	}
}

func TestEverySignalOfTheTerminalComesOnce(t *testing.T) {
	for _, c := range []struct{ name, after string }{{"alone", ""}, {"to a pager", ` | sh -c 'trap "" INT QUIT; exec cat'`}} {
		t.Run(c.name, func(t *testing.T) {
			_, tty := shell(t)
			tty.Type(`$run sh -c 'for s in INT QUIT WINCH CONT; do trap "echo got $s" $s; done; trap "exit 5" TERM; echo ready $$; ` +
				`while :; do sleep 0.02; done'` + c.after + "\n")
			pid, _ := strconv.Atoi(tty.Expect(`ready (\d+)`)[1])
			tty.Type(ctrlC)
			tty.Expect(`got INT\n`)
			tty.Type(ctrlBackslash)
			tty.Expect(`got QUIT\n`)
			tty.Resize(30, 90)
			tty.Expect(`got WINCH\n`)
			tty.Resize(31, 91)
			tty.Expect(`got WINCH\n`)
			unix.Kill(pid, unix.SIGTERM)
			tty.Expect(`<\d+>`)
			for sig, want := range map[string]int{"INT": 1, "QUIT": 1, "WINCH": 2, "CONT": 0} {
				if n := strings.Count(tty.Screen(), "got "+sig); n != want {
					t.Errorf("%d times %s, want %d", n, sig, want)
				}
			}
		})
	}
}

func TestWhoWritesFromTheBackground(t *testing.T) {
	// Messages come though the terminal is another's and stops who writes uncalled for.
	j, tty := shell(t)
	tty.StopWriters()
	tty.Type("$run sh -c 'trap \"\" TERM; echo ready; while :; do sleep 0.02; done'\n")
	tty.Expect("ready")
	j.lose()
	tty.Expect(`said: the file is gone`)
	unix.Kill(-j.group(), unix.SIGKILL)
	tty.Expect(`<76>`)
}

// waits reports whether a process is in wait4(2).
func waits(pid string) bool {
	call, _, _ := strings.Cut(read("/proc/"+pid+"/syscall"), " ")
	return call == strconv.Itoa(unix.SYS_WAIT4)
}
