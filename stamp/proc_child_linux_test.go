package stamp

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The test binary is also the other process: with this variable set it does what
// it is told on stdin, one word a line with its argument, and answers on stdout.
const helperEnv = "STAMP_TEST_HELPER"

func init() {
	if os.Getenv(helperEnv) != "" {
		helperMain()
		os.Exit(0)
	}
}

// question is the argument of the word "ask".
type question struct {
	Stamp         Stamp
	ForceProcOurs bool // pretend that the identity is from before /proc was replaced
	Across        bool // ask across namespaces
	Times         int  // how often, 0 is once; the last answer is sent, or the first Dead
}

func helperMain() {
	runtime.LockOSThread() // strace counts calls by thread
	in := bufio.NewScanner(os.Stdin)
	answer := func(v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "helper:", err)
			os.Exit(3)
		}
	}
	for in.Scan() {
		word, arg, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "self":
			answer(Self())
		case "host": // as hexadecimal digits: JSON would mend what is not UTF-8
			answer(hex.EncodeToString([]byte(Self().Host)))
		case "sethost":
			name, err := hex.DecodeString(arg)
			must(err)
			must(unix.Sethostname(name))
			answer("")
		case "ask":
			var q question
			must(json.Unmarshal([]byte(arg), &q))
			id := Self()
			id.ProcOurs = id.ProcOurs || q.ForceProcOurs
			ask := Ask
			if q.Across {
				ask = AskAcross
			}
			ev := ask(id, q.Stamp)
			for range q.Times - 1 {
				if ev.Answer == Dead {
					break
				}
				ev = ask(id, q.Stamp)
			}
			answer(ev)
		case "nofile": // how many descriptors it may have
			n, err := strconv.ParseUint(arg, 10, 64)
			must(err)
			must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: 64}))
			answer("")
		case "startof":
			pid, err := strconv.Atoi(arg)
			must(err)
			start, err := StartOf(pid)
			answer(fmt.Sprint(start, err))
		case "spawn": // a child of its own, never reaped
			cmd := exec.Command("/proc/self/exe")
			_, err := cmd.StdinPipe()
			must(err)
			must(cmd.Start())
			answer(cmd.Process.Pid)
		case "kill": // and see it dead, without reaping it
			pid, err := strconv.Atoi(arg)
			must(err)
			must(unix.Kill(pid, unix.SIGKILL))
			must(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil))
			answer(pid)
		case "exit":
			os.Exit(0)
		default:
			must(fmt.Errorf("what is %q?", word))
		}
	}
}
