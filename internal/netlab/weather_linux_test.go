package netlab_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

func testClock(t *testing.T, lab *netlab.Lab) {
	a, b := lab.Client("a"), lab.Client("b")
	hours := func() float64 {
		parse := func(h *netlab.Host) float64 {
			n, err := strconv.ParseFloat(h.Must("date", "+%s.%N"), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		return (parse(a) - parse(b)) / 3600
	}
	a.Clock(time.Hour)
	if d := hours(); d < 0.99 || d > 1.01 {
		t.Errorf("a is %v h ahead", d)
	}
	a.Clock(-2 * time.Hour)
	if d := hours(); d < -1.01 || d > -0.99 {
		t.Errorf("a is %v h ahead", d)
	}
	a.Clock(time.Hour)
}

// reach reports whether h gets an answer from the server within 2 s, over the network between the hosts.
func reach(h *netlab.Host, lab *netlab.Lab) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r, err := h.Run(ctx, nil, "timeout", "2", "bash", "-c", "exec 3<>/dev/tcp/"+lab.Server.IP+"/2049")
	return err == nil && r.Code == 0
}

func testCut(t *testing.T, lab *netlab.Lab) {
	a, b := lab.Client("a"), lab.Client("b")
	if !reach(a, lab) {
		t.Fatal("a does not reach the server")
	}
	for range 2 {
		a.Cut()
		if reach(a, lab) {
			t.Error("a reaches the server though it is cut off")
		}
		if !reach(b, lab) {
			t.Error("b is cut off, too")
		}
		a.Heal()
		until(t, "a is back", func() bool { return reach(a, lab) })
	}
}

func testNetem(t *testing.T, lab *netlab.Lab) {
	a := lab.Client("a")
	a.Netem("delay", "400ms")
	begin := time.Now()
	if !reach(a, lab) || time.Since(begin) < 400*time.Millisecond {
		t.Errorf("answered after %v", time.Since(begin))
	}
	a.Netem("loss", "100%")
	if reach(a, lab) {
		t.Error("an answer, though all is lost")
	}
	a.Netem()
	a.Netem() // that there is nothing to be stopped is no fault
	until(t, "a is back", func() bool { return reach(a, lab) })
}

func testPower(t *testing.T, lab *netlab.Lab) {
	b := lab.Client("b")
	id := b.Must("cat", "/proc/sys/kernel/random/boot_id")
	file := lab.Push("/etc/hostname")
	for range 2 {
		p := b.Start(nil, "sleep", "1000")
		b.PowerOff()
		if code, err := p.Wait(t.Context()); !errors.Is(err, wire.ErrGone) {
			t.Errorf("%d, %v", code, err)
		}
		b.PowerOff() // it is off
		if _, err := b.Begin(nil, "true"); err == nil {
			t.Error("a host without power does what it is told")
		}
		b.Boot()
		if now := b.Must("cat", "/proc/sys/kernel/random/boot_id"); now == id {
			t.Error("the boot id is still the same")
		}
		b.Must("test", "-x", file)
		if !reach(b, lab) {
			t.Error("b does not reach the server")
		}
	}
	if path := b.Mount("nfs3", ""); path != "/mnt/nfs3" {
		t.Errorf("after a reboot the first mount is %s", path)
	}
	b.Unmount("/mnt/nfs3")
}

// What a client was told to be on the server's disk is there after a crash, and its mounts go on.
func testServerReboot(t *testing.T, lab *netlab.Lab) {
	a := lab.Client("a")
	var paths []string
	for _, kind := range kinds {
		path := a.Mount(kind, "")
		a.Must("sh", "-c", "echo "+kind+" >"+path+"/kept-"+kind+" && sync "+path+"/kept-"+kind)
		paths = append(paths, path)
	}
	lab.Server.Reboot(100 * time.Millisecond)
	for i, kind := range kinds {
		if got := a.Must("cat", paths[i]+"/kept-"+kind); got != kind {
			t.Errorf("%s: %q", kind, got)
		}
	}
	begin := time.Now()
	lab.Server.EndGrace()
	a.Must("touch", paths[0]+"/new")
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("a new file after %v: the grace period was not ended", took)
	}
	for i, path := range paths {
		a.Must("rm", path+"/kept-"+kinds[i])
		a.Unmount(path)
	}
	if left := lab.Server.Must("ls", lab.Share); strings.Contains(left, "kept") {
		t.Errorf("left: %s", left)
	}
}
