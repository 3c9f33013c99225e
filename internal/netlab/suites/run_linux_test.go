package suites

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aac6cccc/mkdirlock/internal/netlab"
)

var verdicts = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) .*\n`)

// runThere runs tests of a test binary elsewhere, as tests of t: what fails there fails here. It returns those that were skipped.
func runThere(t *testing.T, at *netlab.Place, binary, pattern string, env ...string) (skipped []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	r, err := at.Run(ctx, env, binary, "-test.v", "-test.run", pattern, "-test.timeout", "9m")
	passed := 0
	for _, v := range verdicts.FindAllStringSubmatch(r.Stdout, -1) {
		switch v[1] {
		case "PASS":
			passed++
		case "SKIP":
			skipped = append(skipped, v[2])
		}
	}
	if err != nil || r.Code != 0 || passed == 0 {
		t.Errorf("%s: exit code %d, %v, %d passed:\n%s%s", at.Name, r.Code, err, passed, failures(r.Stdout), r.Stderr)
	}
	t.Logf("%d tests passed on %s, skipped: %v", passed, at.Name, skipped)
	return skipped
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
