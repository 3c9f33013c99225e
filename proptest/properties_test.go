package proptest

import (
	"testing"
	"time"
)

// The worlds that are searched. All promises are watched in each; what is drawn, and how often, differs.
var profiles = map[string]profile{
	// One kernel, one pid namespace: whatever is stopped, killed, slow or fails, and however long, there is one holder.
	"SameKernel": {
		mounts:   []Mount{Local, NFS3, SMB},
		hosts:    1,
		procs:    5,
		settings: brisk,
		faults:   []string{"stop", "kill", "hold", "fail", "replay", "unheard", "late"},
		weights: map[string]int{"acquire": 6, "run": 6, "step": 4, "fault": 6, "release": 4, "kill": 2, "stop": 2, "cont": 2, "let": 2,
			"pass": 1, "start": 2, "check": 1, "cancel": 1, "land": 1, "suspend": 1, "cut": 1, "heal": 2},
	},

	// Who the kernel answers for: users, namespaces, zombies, numbers used again, a /proc that shows others.
	"Kernels": {
		mounts:   []Mount{Local, NFS4},
		hosts:    2,
		procs:    4,
		settings: brisk,
		kernels:  true,
		faults:   []string{"stop", "kill"},
		weights: map[string]int{"acquire": 6, "run": 8, "kill": 4, "reap": 2, "start": 4, "release": 3, "fault": 2, "stop": 1, "cont": 1, "reboot": 1,
			"ungroup": 2, "forge": 1},
	},

	// Containers of one machine, and some outside: what its kernel drops with a process, and who sees whom.
	"Siblings": {
		mounts:   []Mount{Local, Local, Local, NFS4},
		hosts:    2,
		procs:    5,
		settings: []setting{{300 * time.Millisecond, 3 * time.Second}, {time.Second, 6 * time.Second}},
		siblings: true,
		faults:   []string{"stop", "kill", "hold", "hold", "fail"},
		weights: map[string]int{"acquire": 8, "run": 9, "step": 3, "fault": 6, "release": 3, "kill": 3, "stop": 2, "cont": 2, "let": 2, "start": 2,
			"check": 1, "suspend": 1, "reboot": 1, "ungroup": 1, "extra": 1, "plot": 12},
	},

	// Several hosts: cut off, stopped, suspended, slow; replies that get lost. The lease ends before the thief comes.
	"Hosts": {
		mounts:   []Mount{NFS3, NFS4, SMB},
		mixed:    true,
		hosts:    3,
		procs:    4,
		settings: brisk,
		faults:   []string{"stop", "kill", "hold", "fail", "replay", "unheard", "late"},
		weights: map[string]int{"acquire": 6, "run": 10, "step": 2, "fault": 5, "release": 3, "kill": 1, "stop": 2, "cont": 2, "let": 2,
			"pass": 1, "start": 1, "check": 2, "cancel": 1, "land": 1, "suspend": 2, "cut": 3, "heal": 3, "reboot": 1, "hang": 1, "grace": 1, "answer": 2, "open": 1, "close": 1, "plot": 6, "extra": 1, "again": 1},
	},

	// Clocks of all kinds: dates that jump on any host, the server's too, drift, suspend.
	"Clocks": {
		mounts:   []Mount{NFS3, NFS4, SMB},
		hosts:    3,
		procs:    4,
		settings: brisk,
		faults:   []string{"stop", "kill", "hold"},
		weights: map[string]int{"acquire": 5, "run": 10, "fault": 2, "release": 3, "kill": 1, "stop": 1, "cont": 1, "let": 1,
			"shift": 5, "clock": 2, "suspend": 2, "cut": 2, "heal": 2, "check": 1},
	},

	// The same with one directory by several protocols, and a newer NFS, which leaves files to who made them.
	"Protocols": {
		mounts:   []Mount{NFS3, NFS4, SMB, NFS4New},
		mixed:    true,
		hosts:    3,
		procs:    4,
		settings: brisk,
		faults:   []string{"stop", "kill", "hold"},
		weights: map[string]int{"acquire": 5, "run": 10, "fault": 2, "release": 3, "kill": 1, "stop": 1, "cont": 1, "let": 1,
			"shift": 5, "clock": 2, "suspend": 2, "cut": 2, "heal": 2, "check": 1},
	},

	// What others put into the lock directory, and those who take the lock by mkdir alone.
	"Strangers": {
		mounts:   []Mount{Local, NFS3, NFS4, SMB},
		mixed:    true,
		hosts:    2,
		procs:    4,
		settings: brisk,
		faults:   []string{"stop", "kill", "hold", "fail", "replay"},
		weights: map[string]int{"acquire": 6, "run": 8, "fault": 4, "release": 4, "kill": 2, "stop": 1, "cont": 1, "let": 1, "start": 1,
			"junk": 4, "script": 4, "open": 2, "close": 2, "forge": 2, "inspect": 2},
	},

	// Short waits, tries, errors from every call: no success without a stamp, no failure that leaves a mess.
	"Failures": {
		mounts:   []Mount{Local, NFS3, NFS4, SMB},
		hosts:    2,
		procs:    4,
		settings: brisk,
		modes:    true,
		faults:   []string{"fail", "fail", "fail", "unheard", "late", "replay", "hold", "miss"},
		weights:  map[string]int{"acquire": 8, "run": 8, "step": 2, "fault": 10, "release": 5, "let": 2, "land": 2, "cancel": 2, "check": 2, "pass": 1, "kill": 2, "start": 2, "again": 1},
	},

	// Dead owners and a stampede of those who want what they left.
	"Takeover": {
		mounts:   []Mount{Local, NFS3, NFS4, SMB},
		hosts:    3,
		procs:    5,
		settings: []setting{{300 * time.Millisecond, 900 * time.Millisecond}},
		faults:   []string{"stop", "kill", "hold"},
		weights:  map[string]int{"acquire": 8, "run": 8, "step": 8, "fault": 8, "release": 2, "kill": 3, "stop": 2, "cont": 2, "let": 3, "start": 2, "plot": 6},
	},
}

func TestSameKernel(t *testing.T) { search(t, profiles["SameKernel"]) }
func TestKernels(t *testing.T)    { search(t, profiles["Kernels"]) }
func TestSiblings(t *testing.T)   { search(t, profiles["Siblings"]) }
func TestHosts(t *testing.T)      { search(t, profiles["Hosts"]) }
func TestClocks(t *testing.T)     { search(t, profiles["Clocks"]) }
func TestProtocols(t *testing.T)  { search(t, profiles["Protocols"]) }
func TestStrangers(t *testing.T)  { search(t, profiles["Strangers"]) }
func TestFailures(t *testing.T)   { search(t, profiles["Failures"]) }
func TestTakeover(t *testing.T)   { search(t, profiles["Takeover"]) }
