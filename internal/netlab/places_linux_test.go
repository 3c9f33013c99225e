package netlab_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

func testMounts(t *testing.T, lab *netlab.Lab) {
	for _, kind := range kinds {
		a, b := lab.Client("a").Mount(kind, ""), lab.Client("b").Mount(kind, "")
		if a != "/mnt/"+kind || b != a {
			t.Errorf("mounted on %s and %s", a, b)
		}
		lab.Client("a").Must("mkdir", a+"/"+kind)
		if names := lab.Client("b").Must("ls", b); !strings.Contains(names, kind) {
			t.Errorf("%s: b sees %q", kind, names)
		}
		lab.Server.Must("test", "-d", lab.Share+"/"+kind)
		stats, err := lab.Client("a").MountStats(a)
		made := map[string]string{"nfs4": "CREATE", "nfs3": "MKDIR", "smb": "Creates"}[kind]
		if err != nil || stats[made].Ops < 1 || stats[made].Sent < stats[made].Ops || netlab.Sum(stats) < 2 {
			t.Errorf("%s: %v, %v", kind, stats, err)
		}
		// Not in a minute, unless packets of this size come through.
		lab.Client("a").Must("dd", "if=/dev/zero", "of="+a+"/large", "bs=1M", "count=20", "conv=fsync")
		lab.Client("b").Must("dd", "if="+a+"/large", "of=/dev/null", "bs=1M")
		lab.Client("a").Must("rm", a+"/large")
		before := stats[made].Ops
		lab.Client("a").Must("mkdir", a+"/more")
		if stats, err = lab.Client("a").MountStats(a); err != nil || stats[made].Ops <= before {
			t.Errorf("%s: %d %s, then %d, %v", kind, before, made, stats[made].Ops, err)
		}
		lab.Client("a").Must("rmdir", a+"/more", a+"/"+kind)
	}
	h := lab.Client("a")
	path := h.Mount("nfs4", "noac")
	if path != "/mnt/nfs4-2" || !strings.Contains(h.Must("grep", path+" ", "/proc/mounts"), ",noac,") {
		t.Errorf("%s: %s", path, h.Must("cat", "/proc/mounts"))
	}
	if _, err := h.MountStats("/mnt/nothing"); err == nil {
		t.Error("nothing is mounted there")
	}
	h.Unmount(path)
	for _, kind := range kinds {
		lab.Client("a").Unmount("/mnt/" + kind)
		lab.Client("b").Unmount("/mnt/" + kind)
	}
}

func testFiles(t *testing.T, lab *netlab.Lab) {
	worker := lab.Build("./testdata/hello")
	tests := lab.BuildTest("../model")
	for _, h := range lab.Hosts() {
		if got := h.Must(worker); got != "hello from "+h.Name {
			t.Errorf("%s: %q", h.Name, got)
		}
		if got := h.Must(tests, "-test.list", "^Test"); !strings.Contains(got, "Test") {
			t.Errorf("%s: %q", h.Name, got)
		}
	}
	h := lab.Client("b")
	self := lab.Self()
	if got := h.Must(self, "-test.list", "^TestLab$"); !strings.Contains(got, "TestLab") {
		t.Errorf("self: %q", got)
	}

	t.Setenv("NETLAB_WORD", "yellow")
	words := append(h.Relay("NETLAB_WORD", "NETLAB_NONE"), "sh", "-c", "read x; echo $x $NETLAB_WORD $(hostname); exit 5")
	relay := exec.Command(words[0], words[1:]...)
	relay.Stdin = strings.NewReader("a\n")
	out, err := relay.Output()
	if string(out) != "a yellow b\n" || relay.ProcessState.ExitCode() != 5 {
		t.Errorf("%q, %v", out, err)
	}
	if got := lab.Client("a").Must(append(h.RelayInside(), "hostname")...); got != "b" {
		t.Errorf("from a to b: %q", got)
	}
	if got := lab.Here.Must("ip", "-o", "addr"); !strings.Contains(got, "10.98.0.254") || strings.Contains(got, "eth") {
		t.Errorf("here is not in the lab's network: %s", got)
	}
	words = append(h.Relay(), "sleep", "10003")
	relay = exec.Command(words[0], words[1:]...)
	if err := relay.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "it runs", func() bool { return runs(h, "sleep\x0010003") })
	relay.Process.Kill()
	relay.Wait()
	until(t, "it is gone with its relay", func() bool { return !runs(h, "sleep\x0010003") })
}
