package netlab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab/wire"
)

// own is the host's directory in the lab's, where its disk, console and messages are.
func (h *Host) own() string { return wire.Dir + "/" + h.Name }

// power starts the kernel.
func (h *Host) power() {
	h.lab.tb.Helper()
	if h.room != nil {
		h.enter()
		return
	}
	if err := h.prepare(); err != nil {
		h.lab.tb.Fatalf("netlab: %s: %v", h.Name, err)
	}
	device := func(i int, tap string) string {
		return fmt.Sprintf("vec%d:transport=tap,ifname=%s%d,depth=64,gro=0,mac=02:00:00:00:%02d:%02d", i, tap, h.number, i, h.number)
	}
	role := "client"
	args := append(strings.Fields(h.lab.cfg.Kernel), "umid="+h.Name, "uml_dir="+wire.Dir+"/uml", "mem=256M",
		"root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "init="+wire.Agent,
		device(0, "data"), device(1, "control"), "con=null", "con0=null,fd:2", "quiet")
	if h == h.lab.Server {
		role = "server"
		args = append(args, "ubd0="+h.own()+"/disk")
	}
	args = append(args, "netlab_role="+role, "netlab_name="+h.Name, fmt.Sprint("netlab_number=", h.number),
		fmt.Sprintf("netlab_lease=%.0f", h.lab.cfg.Lease.Seconds()), "netlab_modules="+h.lab.cfg.Modules,
		fmt.Sprint("netlab_directories=", h.lab.cfg.DirectoryDelegations))
	// Its output is the console.
	shell := append([]string{"sh", "-c", `exec "$@" >>"$0" 2>&1`, h.own() + "/console.log"}, args...)
	kernel, err := wire.Start(h.lab.path(wire.Socket), "", wire.Request{Args: shell})
	if err != nil {
		h.lab.tb.Fatalf("netlab: %s: %v", h.Name, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kernel, h.mounts = kernel, map[string]int{}
}

// prepare makes what the kernel finds when it starts, and removes what its last run has left to say.
func (h *Host) prepare() error {
	dir := h.lab.path(h.own())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	os.RemoveAll(h.lab.path(wire.Dir + "/uml/" + h.Name))
	for _, name := range []string{"/ready", "/failed"} {
		os.RemoveAll(dir + name)
	}
	if h != h.lab.Server {
		return nil
	}
	if err := os.WriteFile(dir+"/samba", []byte(strings.Join(h.lab.cfg.Samba, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	return makeDisk(dir + "/disk")
}

// makeDisk makes an ext4 in a file with holes, once.
func makeDisk(file string) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(1 << 30); err != nil {
		return err
	}
	mkfs, err := lookPath("mkfs.ext4")
	if err != nil {
		return err
	}
	if out, err := exec.Command(mkfs, "-q", "-F", file).CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.ext4: %w: %s", err, out)
	}
	return nil
}

// ready waits until the host does what it is told.
func (h *Host) ready() {
	h.lab.tb.Helper()
	dir := h.lab.path(h.own())
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(dir + "/ready"); err == nil {
			return
		}
		why, err := os.ReadFile(dir + "/failed")
		if err != nil && time.Now().Before(end) {
			continue
		}
		h.lab.tb.Fatalf("netlab: %s did not boot: %s", h.Name, why)
	}
}

// PowerOff ends the host's kernel at once, without a word to anybody, and all its processes with it.
func (h *Host) PowerOff() {
	h.lab.tb.Helper()
	h.mu.Lock()
	kernel := h.kernel
	h.mu.Unlock()
	// That it is off already is no fault.
	if h.room != nil {
		h.clear()
	} else {
		kernel.Kill()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// Until it has ended, the next one finds disk and network in use.
	if _, err := kernel.Wait(ctx); err != nil && !errors.Is(err, wire.ErrGone) {
		h.lab.tb.Fatalf("netlab: %s does not go off: %v", h.Name, err)
	}
}

// Boot starts the host again after PowerOff. Nothing is mounted on a client; a server exports what it had on its disk.
func (h *Host) Boot() {
	h.lab.tb.Helper()
	h.power()
	h.ready()
}

// Reboot is PowerOff, and Boot after the time without power. A host is back some 2 s after that, a server some 5 s. After
// its reboot an NFS server is in its grace period, as long as its lease, unless all its clients are back before that, or EndGrace ends it.
func (h *Host) Reboot(down time.Duration) {
	h.lab.tb.Helper()
	h.PowerOff()
	time.Sleep(down)
	h.Boot()
}

// EndGrace ends the grace period of an NFS server, if it is in one.
func (h *Host) EndGrace() {
	h.lab.tb.Helper()
	h.Must("sh", "-c", "grep -q Y /proc/fs/nfsd/v4_end_grace || echo Y >/proc/fs/nfsd/v4_end_grace")
}
