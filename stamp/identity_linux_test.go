package stamp

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestSelf(t *testing.T) {
	id := Self()
	if id.PID != os.Getpid() || id.Start == 0 || id.Boot.IsZero() || id.PIDNS == 0 || id.TimeNS == 0 || !id.ProcOurs {
		t.Errorf("unknown parts: %+v", id)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || strings.ReplaceAll(string(boot), "-", "") != id.Boot.String()+"\n" {
		t.Errorf("boot %v, the system says %s (%v)", id.Boot, boot, err)
	}
	if start, err := StartOf(os.Getpid()); err != nil || start != id.Start {
		t.Errorf("start %d, as of another process %d (%v)", id.Start, start, err)
	}
	if host, err := os.Hostname(); err != nil || host != id.Host {
		t.Errorf("host %q, the system says %q (%v)", id.Host, host, err)
	}
	if h := startHelper(t, nil).self(); h.Boot != id.Boot || h.PIDNS != id.PIDNS || h.TimeNS != id.TimeNS || h.PID == id.PID || h.Start < id.Start {
		t.Errorf("a child says %+v, we say %+v", h, id)
	}
}

// A process forked without exec has its parent's memory, but another pid.
func TestSelfIsReadAgainAfterFork(t *testing.T) {
	id := Self()
	self.mu.Lock()
	self.id.PID, self.id.Start = id.PID+1, id.Start+1 // as if the parent had read it
	self.mu.Unlock()
	if again := Self(); again != id {
		t.Errorf("got %+v, want %+v", again, id)
	}
}

func TestSelfIsKept(t *testing.T) {
	id := Self()
	self.mu.Lock()
	self.id.Host = "kept"
	self.mu.Unlock()
	if got := Self().Host; got != "kept" {
		t.Errorf("read again: %q", got)
	}
	self.mu.Lock()
	self.id = id
	self.mu.Unlock()
}

// For want of descriptors the identity is incomplete, but not for good.
func TestSelfOutOfDescriptors(t *testing.T) {
	h := startHelper(t, nil)
	h.say(new(string), "nofile 3")
	if got := h.self(); (got != Identity{PID: h.pid, Host: Self().Host}) {
		t.Errorf("without descriptors: %+v", got)
	}
	h.say(new(string), "nofile 64")
	if got := h.self(); got.Boot != Self().Boot || got.PIDNS == 0 || got.Start == 0 || !got.ProcOurs {
		t.Errorf("with descriptors again: %+v", got)
	}
}

// A pid namespace that still sees its parent's /proc.
func TestPidNamespaceWithoutProc(t *testing.T) {
	needRoot(t)
	h := startHelper(t, nil, "unshare", "-pf", "--kill-child")
	id, outer := h.self(), Self()
	if id.PID != 1 || id.ProcOurs || id.Boot != outer.Boot || id.PIDNS == 0 || id.PIDNS == outer.PIDNS || id.TimeNS != outer.TimeNS || id.Start < outer.Start {
		t.Errorf("in the namespace %+v, outside %+v", id, outer)
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", h.pid))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		t.Fatal(err)
	}
	if start, err := StartOf(pid); err != nil || start != id.Start {
		t.Errorf("it says start %d, seen from outside %d (%v)", id.Start, start, err)
	}

	var child int
	h.say(&child, "spawn")
	for child < 4 { // some pid that is a kernel thread's out there
		h.say(&child, "spawn")
	}
	s := Stamp{PID: child, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS, Start: id.Start}
	// What /proc has under this pid started at boot. To believe it would be
	// to rob a live owner.
	if start, err := StartOf(child); err != nil || start == s.Start {
		t.Fatalf("outside, pid %d started at %d (%v)", child, start, err)
	}
	want(t, h.ask(question{Stamp: s}), Alive, "it is there")
	want(t, h.ask(question{Stamp: s, ForceProcOurs: true}), Alive, "it is there")
	h.say(new(int), "kill %d", child)
	want(t, h.ask(question{Stamp: s}), Dead, "pidfd")

	// Seen from outside, it is foreign.
	want(t, Ask(outer, s), Unknown, "not asked")
}

func TestPidNamespaceWithProc(t *testing.T) {
	needRoot(t)
	h := startHelper(t, nil, "unshare", "-pf", "--mount-proc", "--kill-child")
	id, outer := h.self(), Self()
	if id.PID != 1 || !id.ProcOurs || id.Boot != outer.Boot || id.PIDNS == 0 || id.PIDNS == outer.PIDNS || id.Start < outer.Start {
		t.Errorf("in the namespace %+v, outside %+v", id, outer)
	}
	var child int
	h.say(&child, "spawn")
	s := Stamp{PID: child, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS, Start: 1}
	want(t, h.ask(question{Stamp: s}), Dead, "started again")
	s.Start = 0
	want(t, h.ask(question{Stamp: s}), Alive, "it is there")
	// Pid 1 is also pid 1 in the stamp of an earlier container.
	other := startHelper(t, nil, "unshare", "-pf", "--mount-proc", "--kill-child").self()
	if other.PID != id.PID || other.PIDNS == id.PIDNS || other.Host != id.Host {
		t.Errorf("two namespaces: %+v, %+v", id, other)
	}
}

func TestNoProc(t *testing.T) {
	needRoot(t)
	h := startHelper(t, nil, "unshare", "-m", "sh", "-c", `umount -l /proc && exec "$0"`)
	id := h.self()
	if (id != Identity{PID: id.PID, Host: Self().Host}) || id.PID != h.pid {
		t.Errorf("without /proc: %+v", id)
	}
	s := stampOf(t, os.Getpid())
	s.Start++
	want(t, h.ask(question{Stamp: s}), Unknown, "not asked")
}

func TestTimeNamespace(t *testing.T) {
	needRoot(t)
	h := startHelper(t, nil, "unshare", "--time", "--boottime", "100000", "-f", "--kill-child")
	id, outer := h.self(), Self()
	if id.PIDNS != outer.PIDNS || id.TimeNS == 0 || id.TimeNS == outer.TimeNS {
		t.Fatalf("inside %+v, outside %+v", id, outer)
	}
	start, err := StartOf(id.PID)
	if err != nil || id.Start < start+1000000 {
		t.Fatalf("start inside %d, outside %d (%v)", id.Start, start, err)
	}
	s := Stamp{PID: id.PID, Boot: id.Boot, PIDNS: id.PIDNS, TimeNS: id.TimeNS, Start: id.Start}
	want(t, Ask(outer, s), Alive, "it is there")
	want(t, h.ask(question{Stamp: stampOf(t, os.Getpid())}), Alive, "it is there")
	// And this is what the namespace in the stamp prevents:
	s.TimeNS = outer.TimeNS
	want(t, Ask(outer, s), Dead, "started again")
}

func TestHostBytes(t *testing.T) {
	needRoot(t)
	for _, name := range []string{"", "localhost", "b\xfcro\xff", strings.Repeat("x", 64)} {
		h := startHelper(t, nil, "unshare", "-u")
		h.say(new(string), "sethost %x", name)
		var got string
		h.say(&got, "host")
		if got != hex.EncodeToString([]byte(name)) {
			t.Errorf("host %q came back as %s", name, got)
		}
	}
}

func TestStartOf(t *testing.T) {
	for _, pid := range []int{0, -1, -os.Getpid()} {
		if _, err := StartOf(pid); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("pid %d: %v", pid, err)
		}
	}
	if _, err := StartOf(0x3ffffff0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a pid that is not there: %v", err)
	}
	h := startHelper(t, nil)
	if start, err := StartOf(h.pid); err != nil || start != h.self().Start {
		t.Errorf("start %d (%v), it says %d", start, err, h.self().Start)
	}
	needRoot(t)
	var text string
	startHelper(t, nil, "unshare", "-pf", "--kill-child").say(&text, "startof 1")
	if !strings.Contains(text, errNotOurs.Error()) {
		t.Errorf("through another namespace's /proc: %s", text)
	}
}
