package proptest

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// again runs this test binary with settings of its own.
func again(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append(args, "-rapid.nofailfile")...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PROPTEST_") })
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A search that cannot be run as it was asked for is refused at once, instead of being killed an hour later.
func TestBudgetIsRefused(t *testing.T) {
	for _, c := range []struct{ env, flags, because string }{
		{"PROPTEST_BUDGET=1h", "-test.timeout=10m", "-timeout 0"},
		{"PROPTEST_BUDGET=1h", "-test.timeout=1h", "-timeout 0"},
		{"PROPTEST_BUDGET=1h", "-test.timeout=1h2m", "-timeout 0"},
		{"PROPTEST_BUDGET=1h", "-test.timeout=2h", ""},
		{"PROPTEST_BUDGET=1h", "-test.timeout=0", ""},
		{"PROPTEST_BUDGET=1h", "-test.timeout=10m -rapid.checks=10", ""}, // which stands before it
		{"PROPTEST_BUDGET=5m", "-test.timeout=10m", ""},
		{"PROPTEST_BUDGET=soon", "", `"soon" is not a time`},
		{"PROPTEST_BUDGET=3600", "", `"3600" is not a time`},
		{"PROPTEST_BUDGET=-1h", "", `"-1h" is not a time`},
		{"PROPTEST_BUDGET=0s", "", `"0s" is not a time`},
		{"PROPTEST_BUDGET=1h", "-rapid.seed=5", "-rapid.seed"},
		{"PROPTEST_BUDGET=1h", "-rapid.seed=5 -rapid.checks=10", ""},
		{"PROPTEST_SCHEDULES=many", "", `"many" is not a number`},
		{"PROPTEST_SCHEDULES=0", "", `"0" is not a number`},
		{"PROPTEST_SCHEDULES=10", "", ""},
	} {
		out, err := again(t, []string{c.env}, append(strings.Fields(c.flags), "-test.run=^$")...)
		if (err != nil) != (c.because != "") || !strings.Contains(out, c.because) {
			t.Errorf("%s %s: %v, want %q in\n%s", c.env, c.flags, err, c.because, out)
		}
	}
}

var told = regexp.MustCompile(`: (\d+) schedules \(\d+/s\): `)

// A search by time takes that time in each property, and all are searched at once.
func TestBudgetIsSpent(t *testing.T) {
	const long = 3 * time.Second
	began := time.Now()
	out, err := again(t, []string{fmt.Sprint("PROPTEST_BUDGET=", long)}, "-test.v", "-test.parallel=1",
		"-test.run=^Test("+strings.Join(sortedKeys(profiles), "|")+")$")
	took := time.Since(began)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if tallies := told.FindAllString(out, -1); len(tallies) != len(profiles) || took < long {
		t.Errorf("%d properties in %v:\n%s", len(tallies), took, out)
	}
	if strings.LastIndex(out, "=== CONT") > strings.Index(out, "--- PASS") {
		t.Errorf("one has ended before another began:\n%s", out)
	}
	for _, took := range regexp.MustCompile(`--- PASS: Test\w+ \((.*)s\)`).FindAllStringSubmatch(out, -1) {
		if d, err := time.ParseDuration(took[1] + "s"); err != nil || d < long {
			t.Errorf("%s: %v", took[0], err)
		}
	}
}

// Rapid is content with fewer schedules when the test's time nears its end. That is not what was asked for.
func TestSchedulesAreCounted(t *testing.T) {
	out, err := again(t, []string{"PROPTEST_SCHEDULES=1000000"}, "-test.run=^TestKernels$", "-test.timeout=2s")
	late := strings.Contains(out, "panic: test timed out") // on a loaded machine it may come to that before it has said so
	if err == nil || !late && !strings.Contains(out, "add -timeout 0") {
		t.Errorf("%v:\n%s", err, out)
	}
}
