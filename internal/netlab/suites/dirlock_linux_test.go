package suites

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
	"github.com/aac6cccc/mkdirlock/internal/proctest"
)

// What does not run on a kind of mount, and why.
var except = map[string]map[string]string{
	"smb": {
		"LinkOnTheWayIsTurned":   "there are no links",
		"LinkToALock":            "there are no links",
		"JunkInAHeldLock/a_link": "there are no links",
		"ContentDecidesNothing":  "a host is one user there, whoever asks",
	},
	"sshfs": {
		"LinkOnTheWayIsTurned":      "absolute links cannot be read there",
		"LinkToALock":               "absolute links cannot be read there",
		"JunkInAHeldLock/a_link":    "absolute links cannot be read there",
		"ContentDecidesNothing":     "others than who mounted it have no part in it",
		"CorruptNames":              "an mtime has whole seconds there: silence may seem to have begun a second early",
		"ForeignOwnerThatMovesBack": "an mtime has whole seconds there, and this one takes 9 s for one",
	},
}

// The tests of package dirlock with several processes, on each mount; where it is a network's, with every other process on another
// host.
func TestDirlock(t *testing.T) {
	t.Run("local", func(t *testing.T) {
		lab := netlab.Local(t)
		binary := lab.BuildTest("../../../dirlock")
		for _, kind := range netlab.LocalKinds {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				away(t, lab.Here, binary, slices.Concat(Anywhere, AtHome), proctest.Elsewhere{Name: kind, Dir: lab.MountLocal(kind)})
			})
		}
		t.Run("sshfs", func(t *testing.T) {
			t.Parallel()
			// What it keeps by default, for 20 s, makes a lock that was released stay there for as long.
			a, b := lab.MountSSHFS("dir_cache=no,entry_timeout=0,attr_timeout=0,negative_timeout=0")
			// A host is a name, pids, and what is mounted where the other one has the same: each has a client of its own.
			other := []string{"unshare", "-u", "-p", "-f", "-m", "--mount-proc", "sh", "-c",
				`hostname b && mount --bind ` + b + ` ` + a + ` && exec "$@"`, "sh"}
			away(t, lab.Here, binary, Anywhere, proctest.Elsewhere{Name: "sshfs", Dir: a, Judge: "127.0.0.1:0",
				Hosts: []proctest.HostCommand{{}, {Under: other}}})
		})
	})
	t.Run("hosts", func(t *testing.T) {
		// Two labs at a time are what two cores can do.
		for _, kinds := range [][]string{{"nfs4", "nfs3"}, {"smb"}} {
			t.Run(kinds[0], func(t *testing.T) {
				t.Parallel()
				lab := netlab.Start(t, "a", "b")
				a, b := lab.Client("a"), lab.Client("b")
				binary := lab.BuildTest("../../../dirlock")
				for _, kind := range kinds {
					t.Run(kind, func(t *testing.T) {
						dir := a.Mount(kind, "") + "/dirlock-" + kind
						b.Mount(kind, "")
						a.Must("mkdir", "-m", "777", dir)
						away(t, a.Place, binary, Anywhere, proctest.Elsewhere{Name: kind, Dir: dir, Judge: a.Control() + ":0",
							Hosts: []proctest.HostCommand{{}, {Under: b.RelayInside(proctest.Variable), Far: true}}})
					})
				}
			})
		}
	})
}

// away runs tests of package dirlock on a mount.
func away(t *testing.T, at *netlab.Place, binary string, tests []string, where proctest.Elsewhere) {
	t.Helper()
	text, err := json.Marshal(where)
	if err != nil {
		t.Fatal(err)
	}
	var names, not []string
	for _, test := range tests {
		if except[where.Name][test] == "" {
			names = append(names, test)
		}
	}
	for test := range except[where.Name] {
		not = append(not, "^TestProc"+test+"$")
	}
	parallel := 20
	if len(where.Hosts) > 0 { // a host has one processor, and a call must not wait for a second
		parallel = 6
	}
	passed, skipped := runThere(t, at, binary, parallel, "^TestProc("+strings.Join(names, "|")+")$", strings.Join(not, "|"),
		proctest.ElsewhereVariable+"="+string(text))
	for _, test := range names {
		if !slices.Contains(passed, "TestProc"+test) {
			t.Errorf("TestProc%s has not passed", test)
		}
	}
	if len(skipped) > 0 {
		t.Errorf("skipped: %v", skipped)
	}
}
