package netlab_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

// Two labs side by side have the same names and addresses, and nothing to do with each other.
func TestTwoLabs(t *testing.T) {
	one, two := netlab.Start(t, "a"), netlab.Start(t, "a")
	one.Client("a").Must("touch", one.Client("a").Mount("nfs4", "")+"/one")
	path := two.Client("a").Mount("nfs4", "")
	if names := two.Client("a").Must("ls", path); names != "" {
		t.Errorf("the second lab has %q of the first", names)
	}
	one.Server.PowerOff()
	two.Client("a").Must("touch", path+"/two")
}

// testEnd has the test binary start a lab and come to a bad end: "kill" (by this test), "timeout", "fail".
const testEnd = "NETLAB_TEST_END"

func TestMain(m *testing.M) {
	if os.Getenv(testEnd) == "timeout" {
		os.Args = append(os.Args, "-test.timeout=10s")
	}
	os.Exit(m.Run())
}

func TestBadEnd(t *testing.T) {
	how := os.Getenv(testEnd)
	if how == "" {
		for _, how := range []string{"kill", "timeout", "fail"} {
			t.Run(how, func(t *testing.T) { badEnd(t, how) })
		}
		return
	}
	lab := netlab.Start(t, "a")
	lab.Client("a").Start(nil, "sleep", "1000")
	os.Stdout.WriteString("UP\n")
	if how == "fail" {
		t.Fatal("as the test wants it")
	}
	time.Sleep(time.Minute)
}

// However the process of a test ends, its lab ends with it.
func badEnd(t *testing.T, how string) {
	netlab.Need(t)
	tmp := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBadEnd$")
	cmd.Env = append(os.Environ(), testEnd+"="+how, "TMPDIR="+tmp, "NETLAB_TEST_MARK="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "UP" {
		t.Log(lines.Text())
	}
	// The mark is inherited by all that a lab is made of.
	if n := marked(t, tmp); n < 3 && how == "kill" {
		t.Errorf("%d processes: no lab was there, and this is no test", n)
	}
	if how == "kill" {
		cmd.Process.Kill()
	}
	for lines.Scan() { // until it ends
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
	until(t, "nothing of the lab runs", func() bool { return marked(t, tmp) == 0 })
	if left, _ := filepath.Glob(tmp + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// marked counts the processes that have such a mark in their environment.
func marked(t *testing.T, mark string) (n int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		text, _ := os.ReadFile(file) // it may be gone by now
		if strings.Contains(string(text), "NETLAB_TEST_MARK="+mark) {
			n++
		}
	}
	return n
}
