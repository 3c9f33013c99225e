package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/bench/internal/record"
	_ "github.com/aac6cccc/mkdirlock/dirlock" // see TestSourcesAreWatched
)

// bin has the workers that need nothing but Go, and nolock.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if bin, err = os.MkdirTemp("", "driver"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(bin)
		build := exec.Command("go", "build", "-o", bin+"/", "../workers/mkdirlock", "../workers/flock", "../workers/floor", "./testdata/nolock")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, build, err)
			return 1
		}
		return m.Run()
	}())
}

// A test's result is kept until what it imports or reads has changed, and programs that it builds are neither. So it reads them,
// and imports what they import.
func TestSourcesAreWatched(t *testing.T) {
	for _, pattern := range []string{"../workers/*/main.go", "testdata/*/main.go"} {
		sources, err := filepath.Glob(pattern)
		if err != nil || len(sources) == 0 {
			t.Fatalf("%v, %v", sources, err)
		}
		for _, s := range sources {
			if _, err := os.ReadFile(s); err != nil {
				t.Error(err)
			}
		}
	}
}

// small is a bench with those workers, on the file system of the tests' own directory.
func small(t *testing.T) *bench {
	t.Helper()
	errlog, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := record.Create(filepath.Join(t.TempDir(), "results"), "test")
	if err != nil {
		t.Fatal(err)
	}
	at, err := newPlace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		at.remove()
		errlog.Close()
		log.Close()
	})
	b := &bench{bin: bin, places: []*place{at}, log: log, errlog: errlog, began: time.Now()}
	for _, p := range []peer{
		{Name: "mkdirlock", Kind: "own", Profiles: []string{"fast"}, Also: special},
		{Name: "flock", Kind: "kernel", Profiles: []string{"fast"}, Also: special[:1]},
		{Name: "floor", Kind: "floor", Profiles: []string{"default"}, Only: []string{"uncontended", "held"}},
		{Name: "nolock", Kind: "none", Profiles: []string{"fast"}, Also: special[:1]},
	} {
		p.Go = p.Name
		b.peers = append(b.peers, p)
	}
	return b
}

// measured runs a step and returns its rows by peer.
func measured(t *testing.T, b *bench, s step) map[string]record.Record {
	t.Helper()
	if err := b.run(s); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(b.log.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	byPeer := map[string]record.Record{}
	for _, r := range record.Of(all, "test") {
		if r.Test == s.test {
			byPeer[r.Peer] = r
		}
	}
	return byPeer
}

// samplesOf checks that a peer was measured as often as it should be.
func samplesOf(t *testing.T, rows map[string]record.Record, peer string, n int) []int64 {
	t.Helper()
	r, ok := rows[peer]
	if !ok || r.Failed != "" || len(r.Samples) != n {
		t.Fatalf("%s: %+v, want %d samples", peer, r, n)
	}
	return r.Samples
}
