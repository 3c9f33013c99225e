package proptest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aac6cccc/mkdirlock/proptest"
)

// A holder is killed. Another process of the same machine, to which the kernel says so, has the lock after three missed beats;
// nobody else needs to be told anything.
func Example() {
	script, err := proptest.ParseScript(`
		world nfs3
		host h
		start a h
		start b h
		acquire a -1ns # for as long as it takes
		run 2s
		acquire b -1ns
		run 2s
		fault a touch+0 after kill # its next beat is its last
		run 8s
		finish`)
	if err != nil {
		fmt.Println(err)
	}
	bubble(func() {
		w := proptest.New(script.Config)
		defer w.Close()
		if err := w.Play(script); err != nil {
			fmt.Println(err) // a broken promise, with the script and the trace
		}
		for line := range strings.Lines(w.Trace()) {
			if words := strings.Fields(line); strings.Contains(line, "[by #") || strings.Contains(line, "after kill]") {
				fmt.Println(words[1], words[2])
			}
		}
	})
	// Output:
	// a acquire
	// a touch
	// b acquire
	// b release
	// new acquire
	// new release
}

// bubble runs f in a synctest bubble, which is had through a test, and an example is none.
func bubble(f func()) {
	stdout := os.Stdout
	os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0) // with -v, the test says that it runs
	defer func() { os.Stdout = stdout }()
	once := false // -count is of the example, not of the test in it
	run := func(t *testing.T) {
		if once {
			return
		}
		once = true
		quiet := os.Stdout
		os.Stdout = stdout
		defer func() { os.Stdout = quiet }()
		synctest.Test(t, func(*testing.T) { f() })
	}
	testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "bubble", F: run}})
}
