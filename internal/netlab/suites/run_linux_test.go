package suites

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

var verdicts = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) \((\d+)\.\d+s\)\n`)

// runThere runs the tests of a test binary that match a pattern, and another one not, elsewhere, in their short forms. What fails there fails here. It returns the names of those that
// passed and were skipped.
func runThere(t *testing.T, at *netlab.Place, binary string, parallel int, pattern, not string, env ...string) (passed, skipped []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	r, err := at.Run(ctx, env, binary, "-test.v", "-test.short", fmt.Sprint("-test.parallel=", parallel), "-test.run", pattern, "-test.skip", not, "-test.timeout", "9m")
	var slow []string
	for _, v := range verdicts.FindAllStringSubmatch(r.Stdout, -1) {
		if len(v[3]) > 1 { // 10 s
			slow = append(slow, v[2]+" "+v[3]+"s")
		}
		switch v[1] {
		case "PASS":
			passed = append(passed, v[2])
		case "SKIP":
			skipped = append(skipped, v[2])
		}
	}
	if err != nil || r.Code != 0 || len(passed) == 0 {
		t.Errorf("%s: exit code %d, %v, %d passed:\n%s%s", at.Name, r.Code, err, len(passed), failures(r.Stdout), r.Stderr)
	}
	t.Logf("%d tests passed on %s; the slow ones: %v", len(passed), at.Name, slow)
	return passed, skipped
}

// failures leaves out what passed.
func failures(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") {
			b.WriteString(line)
		}
	}
	return b.String()
}
