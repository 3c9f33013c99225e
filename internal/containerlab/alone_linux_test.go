package containerlab_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/containerlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// everything is a lab with one of each.
func everything(t *testing.T, cfg containerlab.Config) *containerlab.Lab {
	t.Helper()
	lab := containerlab.StartWith(t, cfg)
	dir := proctest.Disk(t)
	words := proctest.Quick("/vol/lock")
	spec := containerlab.Spec{Volumes: []string{dir + ":/vol"}, Network: "host", Tmpfs: []string{"/memory"}}
	for _, kind := range []containerlab.Kind{containerlab.Docker, containerlab.Podman, containerlab.Rootless} {
		lab.Engine(kind).Words(words, spec).Proc(t, words)
	}
	for _, runtime := range containerlab.Sandboxes {
		if runtime == "lxc" && cfg.MachinePIDs {
			continue // it goes by the cgroup of pid 1
		}
		lab.Words(t, words, runtime, spec)
	}
	return lab
}

// machine is what a lab could change of the machine.
func machine(t *testing.T) map[string]string {
	t.Helper()
	seen := map[string]string{}
	for _, file := range []string{"/proc/self/mountinfo", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/kernel/hostname", "/etc/passwd", "/etc/subuid", "/proc/net/ip_tables_names"} {
		text, _ := os.ReadFile(file)
		seen[file] = string(text)
	}
	for _, dir := range []string{"/sys/class/net", "/var/lib", "/run", "/dev/shm", "/etc", "/etc/containers", "/home", "/var/run", "/root"} {
		seen[dir] = proctest.Names(dir)
	}
	return seen
}

func TestNothingOfTheMachineIsChanged(t *testing.T) {
	containerlab.Need(t)
	before := machine(t)
	same := func(when string) {
		t.Helper()
		for name, now := range machine(t) {
			if now != before[name] && !strings.HasPrefix(name, "/dev/shm") {
				t.Errorf("%s: %s was\n%s\nand is\n%s", when, name, before[name], now)
			}
		}
	}
	t.Run("lab", func(t *testing.T) {
		everything(t, containerlab.Config{})
		same("with a lab")
	})
	same("after it")
	if strings.Contains(proctest.Names("/dev/shm"), "libpod") && !strings.Contains(before["/dev/shm"], "libpod") {
		t.Error("podman has left its locks in /dev/shm")
	}
}

// testEnd has the test binary start a lab and come to a bad end: "kill" (by this test), "timeout", "fail".
const testEnd = "CONTAINERLAB_TEST_END"

func TestBadEnd(t *testing.T) {
	how := os.Getenv(testEnd)
	if how == "" {
		for _, how := range []string{"kill", "timeout", "fail"} {
			t.Run(how, func(t *testing.T) {
				t.Parallel() // much of it is waiting
				badEnd(t, how, containerlab.Config{})
			})
		}
		t.Run("kill, with the machine's pids", func(t *testing.T) {
			t.Parallel()
			badEnd(t, "kill", containerlab.Config{MachinePIDs: true})
		})
		return
	}
	lab := everything(t, containerlab.Config{MachinePIDs: os.Getenv(testEnd+"_PIDS") == "true"})
	fmt.Println("UP", lab.Dir)
	switch how {
	case "fail":
		t.Fatal("as the test wants it")
	case "timeout":
		go panic("which is how a test's time runs out")
	}
	time.Sleep(time.Minute)
}

// However the process of a test ends, its lab ends with it.
func badEnd(t *testing.T, how string, cfg containerlab.Config) {
	containerlab.Need(t)
	tmp := proctest.Disk(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestBadEnd$")
	cmd.Env = append(os.Environ(), testEnd+"="+how, fmt.Sprintf("%s_PIDS=%v", testEnd, cfg.MachinePIDs), "TMPDIR="+tmp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	dir := ""
	for dir == "" && lines.Scan() {
		dir, _ = strings.CutPrefix(lines.Text(), "UP ")
		if dir == lines.Text() {
			dir = ""
			t.Log(lines.Text())
		}
	}
	if n := members(t, dir); n < 15 && how == "kill" {
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
	proctest.Until(t, proctest.Patience, "nothing of the lab runs", func() bool { return members(t, dir) == 0 })
	proctest.Until(t, proctest.Patience, "the lab has no directory", func() bool { return !proctest.Exists(dir) })
	left, _ := exec.Command("find", "/sys/fs/cgroup", "-name", filepath.Base(dir)).Output()
	if len(bytes.TrimSpace(left)) > 0 {
		t.Errorf("cgroups left behind: %s", left)
	}
}

// members counts the processes that are in a cgroup of the lab, as all of its own are.
func members(t *testing.T, dir string) (n int) {
	t.Helper()
	if dir == "" {
		t.Fatal("no lab")
	}
	all, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		text, _ := os.ReadFile(file) // it may be gone by now
		if strings.Contains(string(text), filepath.Base(dir)) {
			n++
		}
	}
	return n
}
