package proptest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What the search finds is worth as much as what it finds when something is broken. Each patch in testdata/mutants breaks the
// lock that ships in one way that somebody in a hurry might; a property must find that, and the lock as it stands must keep
// its promises in the very same schedules. PROPTEST_MUTANTS=all takes all of them; else it is a few.
func TestMutants(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the simulated kernel is Linux")
	}
	list, err := readMutants()
	if err != nil || len(list) == 0 {
		t.Fatalf("no mutants: %v", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	all := list
	write := os.Getenv("PROPTEST_WRITE") == "1"
	if testing.Short() || os.Getenv("PROPTEST_MUTANTS") != "all" && !write {
		list = few(all)
	}
	kills := killAll(t, root, list)
	t.Logf("\n%s", table(list, kills))
	keptUnbroken(t, list, kills)
	if write && len(kills) == len(all) {
		if err := os.WriteFile(mutantsDoc, document(all, kills), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compareDocument(t, all)
}

// few are three that have little in common: who is in the directory, when a lease ends, and whom the kernel answers for.
func few(all []mutant) []mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return !slices.Contains([]string{"no-listing", "late-watchdog", "zombie-alive"}, m.name)
	})
}

// killAll kills the mutants, two at a time.
func killAll(t *testing.T, root string, list []mutant) map[string]kill {
	var mu sync.Mutex
	kills := map[string]kill{}
	room := make(chan struct{}, 2)
	t.Run("killed", func(t *testing.T) {
		for _, m := range list {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				room <- struct{}{}
				defer func() { <-room }()
				k, err := m.kill(root, t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				kills[m.name] = k
			})
		}
	})
	return kills
}

// keptUnbroken demands that the lock as it stands keeps its promises in all the schedules that the mutants were killed in.
func keptUnbroken(t *testing.T, list []mutant, kills map[string]kill) {
	binary, err := build(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	type series struct {
		test string
		seed uint64
	}
	needed := map[series]int{}
	for _, m := range list {
		if k, ok := kills[m.name]; ok {
			s := series{k.test, m.seed}
			needed[s] = max(needed[s], k.after+1)
		}
	}
	room := make(chan struct{}, 2)
	for s, n := range needed {
		t.Run(fmt.Sprintf("unbroken/%s/%d", s.test, s.seed), func(t *testing.T) {
			t.Parallel()
			room <- struct{}{}
			defer func() { <-room }()
			if k, err := hunt(binary, s.test, s.seed, n); err != errNothing {
				t.Errorf("promise %d after %d schedules: %v", k.promise, k.after, err)
			}
		})
	}
}

func table(list []mutant, kills map[string]kill) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| mutant | what is broken | found by | promise | schedules |\n|---|---|---|---|---|\n")
	for _, m := range list {
		if k, ok := kills[m.name]; ok {
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |\n", m.name, m.what, k.test, k.promise, k.after+1)
		} else {
			fmt.Fprintf(&b, "| %s | %s | nothing | | |\n", m.name, m.what)
		}
	}
	return b.String()
}

const mutantsDoc = "../docs/mutants.md"

func document(list []mutant, kills map[string]kill) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Mutants

Ways to break the lock on purpose, and what found them: which property of [proptest](../proptest/properties_test.go), which promise the
judge saw broken, in which schedule of the search. Each is a patch in `+"[testdata/mutants](../proptest/testdata/mutants)"+`. `+"`TestMutants`"+`
applies them one by one to what ships and demands that the property fails, and that what ships passes the same schedules.
This table is written by `+"`PROPTEST_WRITE=1 go test -run TestMutants ./proptest`"+`.

The promises:

`)
	for n, p := range promises {
		if n > 0 {
			fmt.Fprintf(&b, "%d. %s\n", n, p)
		}
	}
	fmt.Fprintf(&b, "\n%s", table(list, kills))
	return b.Bytes()
}

// compareDocument demands that the document has a row for each mutant, and for no others. In which schedule it was found
// changes with the properties.
func compareDocument(t *testing.T, list []mutant) {
	text, err := os.ReadFile(mutantsDoc)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if !strings.Contains(string(text), fmt.Sprintf("\n| %s | %s |", m.name, m.what)) {
			t.Errorf("%s does not say of %s: %s", mutantsDoc, m.name, m.what)
		}
	}
	if rows := strings.Count(string(text), "\n| ") - 1; rows != len(list) {
		t.Errorf("%s has %d mutants, and there are %d: write it anew, see there", mutantsDoc, rows, len(list))
	}
}
