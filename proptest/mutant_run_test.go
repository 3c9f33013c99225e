package proptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A kill is a broken promise by which a mutant gave itself away.
type kill struct {
	test    string
	promise int
	after   int // schedules that kept all promises
}

// mostTime is how long one search may take. A search that comes to an end by it has found nothing.
const mostTime = 90 * time.Second

// build makes the test binary of this package, with what overlay replaces; "": nothing.
func build(dir, overlay string) (binary string, err error) {
	binary = filepath.Join(dir, "proptest.bin")
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not compile: %w\n%s", err, out)
	}
	return binary, nil
}

var (
	passedAll = regexp.MustCompile(`\[rapid\] OK, passed (\d+) tests`)
	foundBug  = regexp.MustCompile(`\[rapid\] failed after (\d+) tests: promise (\d+) is broken`)
)

// errNothing means that a search ended without a broken promise.
var errNothing = errors.New("no promise was broken")

// hunt searches schedules of one property for a broken promise. Anything else but an end without one is another error.
func hunt(binary, test string, seed uint64, schedules int) (kill, error) {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.v", "-test.run", "^"+test+"$", "-test.timeout", (2 * mostTime).String(),
		"-rapid.nofailfile", "-rapid.shrinktime=1ms", fmt.Sprintf("-rapid.seed=%d", seed), fmt.Sprintf("-rapid.checks=%d", schedules))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PROPTEST_") })
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	k := kill{test: test}
	found := foundBug.FindSubmatch(out.Bytes())
	passed := passedAll.FindSubmatch(out.Bytes())
	switch {
	case ctx.Err() != nil:
		return k, fmt.Errorf("%s: %d schedules take longer than %v", test, schedules, mostTime)
	case err == nil && passed != nil && string(passed[1]) == strconv.Itoa(schedules):
		return k, errNothing
	case err == nil || found == nil:
		return k, fmt.Errorf("%s: it neither passed nor broke a promise: %v\n%s", test, err, tail(out.Bytes(), 8000))
	}
	k.after, _ = strconv.Atoi(string(found[1]))
	k.promise, _ = strconv.Atoi(string(found[2]))
	return k, nil
}

// kill builds a mutant in dir and searches until it breaks a promise.
func (m mutant) kill(root, dir string) (kill, error) {
	overlay, err := m.apply(root, dir)
	if err != nil {
		return kill{}, err
	}
	binary, err := build(dir, overlay)
	if err != nil {
		return kill{}, err
	}
	for _, test := range m.tests {
		k, err := hunt(binary, test, m.seed, m.schedules)
		switch {
		case errors.Is(err, errNothing):
			continue
		case err != nil:
			return k, err
		case !slices.Contains(m.promises, k.promise):
			return k, fmt.Errorf("%s found promise %d broken after %d schedules, which is not what is wrong with it", test, k.promise, k.after)
		}
		return k, nil
	}
	return kill{}, fmt.Errorf("it survives %d schedules of %v", m.schedules, m.tests)
}

func tail(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
