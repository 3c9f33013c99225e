package proptest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// One seed gives one trace, however often it is run. Whether it does under the race detector too is for .ci/run to compare.
func TestOneSeedOneTrace(t *testing.T) {
	if os.Getenv("PROPTEST_HASH") != "" {
		t.Skip("this is the run that is compared")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	runs := 5
	if testing.Short() {
		runs = 2
	}
	for i := range runs {
		cmd := exec.Command(exe, "-test.run", "^Test("+strings.Join(sortedKeys(profiles), "|")+")$", "-test.v",
			"-rapid.seed=20", "-rapid.checks=60", "-rapid.nofailfile")
		cmd.Env = append(os.Environ(), "PROPTEST_HASH=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		hashes := hashLines(string(out))
		if len(hashes) != len(profiles) {
			t.Fatalf("%d hashes of %d properties:\n%s", len(hashes), len(profiles), out)
		}
		if i == 0 {
			first = hashes
		}
		if !slices.Equal(hashes, first) {
			t.Errorf("run %d:\n%s\nthe first:\n%s", i+1, strings.Join(hashes, "\n"), strings.Join(first, "\n"))
		}
	}
}

// hashLines returns what a run says its traces' hashes are, sorted.
func hashLines(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if _, hash, ok := strings.Cut(line, "HASH "); ok {
			lines = append(lines, strings.TrimSpace(hash))
		}
	}
	slices.Sort(lines)
	return lines
}
