package chaos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary is also each of the witnesses, on whatever host, told by its environment what to be.
func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(roleVariable); ok {
		os.Unsetenv(roleVariable)
		if err := play(text, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "chaos:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const roleVariable = "MKDIRLOCK_CHAOS_ROLE"

// A role is what a witness is told to be.
type role struct {
	Name     string // worker, visitor, probe, watch
	Dir      string // where the locks are
	Settings Settings
	Seed     uint64
	Locks    int

	// Broken has a worker do what must not be done, for the judge to see: "deaf", "thief".
	Broken string
}

// env is the environment that makes a process be that.
func (r role) env() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it is made of numbers and texts
	}
	return roleVariable + "=" + string(text)
}

// What is said to a witness.
const (
	wordClock = "clock" // tell the time
	wordEnd   = "end"   // finish what you are doing, and end
)

// Clocked tells the time, for the clock to be known.
const Clocked Kind = "clock"

func play(text string, in io.Reader, out io.Writer) error {
	var r role
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	v := &voice{out: out}
	name, err := inStamps()
	if err != nil {
		return err
	}
	v.tell(Record{At: now(), Kind: Hello, Text: name})
	end := make(chan struct{})
	go func() {
		for words := bufio.NewScanner(in); words.Scan(); {
			switch words.Text() {
			case wordClock:
				v.tell(Record{At: now(), Kind: Clocked})
			case wordEnd:
				close(end)
				return
			}
		}
		if r.Name != "visitor" { // to whom nobody says anything
			os.Exit(3) // who would listen is gone
		}
	}()
	switch r.Name {
	case "worker":
		return newWorker(r, v).work(end)
	case "visitor":
		return newWorker(r, v).visit()
	case "probe":
		return probe(r, v, end)
	case "watch":
		return watch(r, v, end)
	}
	return fmt.Errorf("what is %q?", r.Name)
}

// inStamps is how stamps name this process: its pid and start time, and its kernel and namespace.
func inStamps() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	start, err := strconv.ParseUint(fields[19], 10, 64) // the 22nd of all
	if err != nil {
		return "", err
	}
	namespace, err := os.Readlink("/proc/self/ns/pid") // "pid:[4026531836]"
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%s %s.%s", os.Getpid(), strconv.FormatUint(start, 36), strings.ReplaceAll(strings.TrimSpace(string(boot)), "-", ""),
		strings.Trim(namespace, "pid:[]")), nil
}

// bootTime is a clock that no date moves.
func bootTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		panic(err) // there is no such kernel
	}
	return time.Duration(ts.Nano())
}

func now() Moment { return At(bootTime()) }

// since is what happened after a time that was read before.
func since(from time.Duration) Moment { return Moment{from, bootTime()} }

// A voice tells records, each in one write, so that who is killed leaves whole lines.
type voice struct {
	mu  sync.Mutex
	out io.Writer
}

func (v *voice) tell(r Record) {
	v.mu.Lock()
	defer v.mu.Unlock()
	io.WriteString(v.out, r.String()+"\n")
}
