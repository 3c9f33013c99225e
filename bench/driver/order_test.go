package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/bars"
	"github.com/aac6cccc/mkdirlock/bench/internal/record"
)

// What the suites ask for exists: tests, peers with that profile, and somebody for each step.
func TestSuitesAskForWhatThereIs(t *testing.T) {
	peers, err := loadPeers("../peers.json")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{peers: peers, places: []*place{{fs: "ext4"}, {fs: "tmpfs"}}}
	for name, steps := range suites {
		for _, s := range steps {
			if _, ok := tests[s.test]; !ok {
				t.Errorf("%s: no test %q", name, s.test)
				continue
			}
			for _, asked := range s.peers {
				who, profile, chosen := strings.Cut(asked, ":")
				i := slices.IndexFunc(peers, func(p peer) bool { return p.Name == who })
				if i < 0 || chosen && !slices.Contains(peers[i].Profiles, profile) {
					t.Errorf("%s: %s asks for %q", name, s.test, asked)
				}
			}
			if len(b.rows(s.filled())) == 0 {
				t.Errorf("%s: nobody for %s", name, s.test)
			}
		}
	}
}

// A suite has every row that a bar looks at: on records with nothing in them, no bar lacks a row.
func TestSuitesMeasureEveryBar(t *testing.T) {
	peers, err := loadPeers("../peers.json")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{peers: peers, places: []*place{{fs: "ext4"}, {fs: "tmpfs"}}}
	for name, steps := range suites {
		var rows record.Rows
		for _, p := range peers {
			rows = append(rows, record.Record{Test: record.Peer, Peer: p.Name, Info: map[string]string{"kind": p.Kind}})
		}
		for _, s := range steps {
			for _, r := range b.rows(s.filled()) {
				rows = append(rows, r.record())
			}
		}
		for _, v := range bars.Judge(rows) {
			if strings.Contains(v.Measured, "no row") || strings.Contains(v.Measured, "no peer") {
				t.Errorf("%s: %s on %s: %s", name, v.Bar, v.FS, v.Measured)
			}
		}
	}
}

func TestRowsOfAStep(t *testing.T) {
	b := &bench{
		places: []*place{{fs: "ext4"}, {fs: "tmpfs"}},
		peers: []peer{
			{Name: "a", Profiles: []string{"default", "fast"}},
			{Name: "b", Profiles: []string{"default"}, Also: []string{"held"}},
			{Name: "c", Profiles: []string{"default"}, Only: []string{"uncontended"}},
			{Name: "d", Profiles: []string{"default"}, missing: "not installed"},
		},
	}
	for _, c := range []struct {
		step step
		want string
	}{
		{step{test: "crash"}, "a/default ext4,a/default tmpfs,a/fast ext4,a/fast tmpfs,b/default ext4,b/default tmpfs"},
		{step{test: "crash", fs: "tmpfs", peers: []string{"a:fast", "b", "d"}}, "a/fast tmpfs,b/default tmpfs"},
		{step{test: "uncontended", fs: "ext4"}, "a/default ext4,b/default ext4,c/default ext4"},
		{step{test: "held", fs: "ext4", procs: 7}, "b/default ext4 7"},
	} {
		var got []string
		for _, r := range b.rows(c.step) {
			got = append(got, strings.TrimPrefix(r.String(), c.step.test+" "))
		}
		if g := strings.Join(got, ","); g != c.want {
			t.Errorf("%+v:\n%s, want\n%s", c.step, g, c.want)
		}
	}
	if got := b.wanted([]step{{test: "crash", peers: []string{"a:fast", "d"}}}); !slices.Equal(got, []string{"a", "d"}) {
		t.Errorf("wanted %v: one that is missing is wanted all the same", got)
	}
}

func TestStepsAreFilledWithTheTestsOwn(t *testing.T) {
	s := step{test: "handoff", reps: 3}.filled()
	if s.reps != 3 || s.settle != short || s.limit != time.Minute || s.variant() != "300ms" {
		t.Errorf("%+v", s)
	}
	if s := (step{test: "clock"}).filled(); s.reps != 1 || s.lanes != 1 {
		t.Errorf("%+v", s)
	}
}

func TestPeersThatMakeNoSense(t *testing.T) {
	const good = `{"name": "a", "kind": "none", "go": "a", "profiles": ["default"]}`
	file := filepath.Join(t.TempDir(), "peers.json")
	load := func(text string) ([]peer, error) {
		if err := os.WriteFile(file, []byte("["+text+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		return loadPeers(file)
	}
	if peers, err := load(good); err != nil || len(peers) != 1 {
		t.Fatalf("%v, %v", peers, err)
	}
	for _, change := range []string{`"name": "a"`, `"kind": "none"`, `"go": "a"`, `["default"]`} {
		bad := strings.Replace(good, change, map[bool]string{true: "[]", false: `"other": 1`}[change[0] == '['], 1)
		if peers, err := load(bad); err == nil {
			t.Errorf("%s is taken for %+v", bad, peers)
		}
	}
	if _, err := load(good + ","); err == nil {
		t.Error("what is no JSON is taken")
	}
}

// Whoever cannot be started, or says nothing sensible, is missing, with a reason for people.
func TestProbe(t *testing.T) {
	b := &bench{bin: bin}
	for _, c := range []struct {
		peer             peer
		version, missing string
	}{
		{peer{Go: "flock"}, "system calls", ""},
		{peer{Go: "nosuch"}, "", "no such file"},
		{peer{Cmd: []string{"sh", "-c", "echo VERSION 1.2 of it"}}, "1.2 of it", ""},
		{peer{Cmd: []string{"sh", "-c", "echo VERSION"}}, "", "not installed"},
		{peer{Cmd: []string{"sh", "-c", "echo hello"}}, "hello", "not installed"},
		{peer{Cmd: []string{"sh", "-c", "echo Traceback >&2; echo ModuleNotFoundError: it >&2; exit 1"}}, "", "ModuleNotFoundError: it"},
		{peer{Cmd: []string{"sh", "-c", "printf 'x.js:1\n\nError: Cannot find it\n  at y\n' >&2; exit 1"}}, "", "Error: Cannot find it"},
	} {
		p := c.peer
		b.probe(&p)
		if p.version != c.version || (p.missing == "") != (c.missing == "") || !strings.Contains(p.missing, c.missing) {
			t.Errorf("%v: version %q, missing %q", c.peer, p.version, p.missing)
		}
	}
}

func TestPlacesLeaveNothing(t *testing.T) {
	base := t.TempDir()
	at, err := newPlace(base)
	if err != nil {
		t.Fatal(err)
	}
	one, err1 := at.dir()
	two, err2 := at.dir()
	if err1 != nil || err2 != nil || one == two || at.fs == "" {
		t.Errorf("%q, %q on %q: %v, %v", one, two, at.fs, err1, err2)
	}
	if err := at.remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(base); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := newPlace(filepath.Join(base, "nosuch")); err == nil {
		t.Error("a place that is not there")
	}
}
