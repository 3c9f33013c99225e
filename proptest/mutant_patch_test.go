package proptest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mutant is a small breakage of the lock that ships, as a patch with a few words before it.
type mutant struct {
	name      string
	what      string   // one sentence
	tests     []string // which of the properties may find it, in the order in which they are tried
	promises  []int    // any of which it may break
	seed      uint64   // where the search begins
	schedules int      // how many are searched at most
	file      string   // the patch
	touched   []string // what it changes, from the module's root
}

// Most are found within a few hundred schedules. The limit is far beyond that: whatever is changed in what the properties draw gives
// other schedules to the same seeds.
const (
	usualSeed      = 1
	usualSchedules = 15000
)

// searched are the properties that may be named in a patch. This test is not among them, so that no mutant runs all others.
var searched = []string{"TestSameKernel", "TestKernels", "TestHosts", "TestClocks", "TestProtocols", "TestStrangers", "TestFailures", "TestTakeover", "TestSiblings"}

func readMutants() (list []mutant, err error) {
	files, err := filepath.Glob("testdata/mutants/*.patch")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m, err := parseMutant(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		m.name = strings.TrimSuffix(filepath.Base(file), ".patch")
		if m.file, err = filepath.Abs(file); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, err
}

// parseMutant reads "key: value" lines up to the first line of the diff, and the names of the files in that.
func parseMutant(text string) (mutant, error) {
	m := mutant{seed: usualSeed, schedules: usualSchedules}
	header := true
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "--- a/"); ok {
			header = false
			m.touched = append(m.touched, rest)
		}
		if !header || line == "" || strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "index ") {
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		var err error
		switch key {
		case "what":
			m.what = value
		case "test":
			m.tests = strings.Fields(value)
		case "promise":
			for word := range strings.FieldsSeq(value) {
				n, nerr := strconv.Atoi(word)
				m.promises, err = append(m.promises, n), nerr
			}
		case "seed":
			m.seed, err = strconv.ParseUint(value, 10, 64)
		case "schedules":
			m.schedules, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("what is %q?", key)
		}
		if err != nil {
			return m, err
		}
	}
	for _, test := range m.tests {
		if !slices.Contains(searched, test) {
			return m, fmt.Errorf("%s is no property that is searched", test)
		}
	}
	for _, file := range m.touched {
		top, _, _ := strings.Cut(file, "/")
		if !slices.Contains([]string{"dirlock", "heartbeat", "stamp"}, top) {
			return m, fmt.Errorf("%s is not part of the lock", file)
		}
	}
	if m.what == "" || len(m.tests) == 0 || len(m.promises) == 0 || len(m.touched) == 0 {
		return m, fmt.Errorf("it takes what, test, promise, and a diff")
	}
	return m, nil
}

// apply makes copies in dir of the files that the mutant changes, with the change, and writes what -overlay takes.
func (m mutant) apply(root, dir string) (overlay string, err error) {
	replace := []string{}
	for _, file := range m.touched {
		from, to := filepath.Join(root, file), filepath.Join(dir, file)
		text, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return "", err
		}
		replace = append(replace, fmt.Sprintf("%q: %q", from, to))
	}
	cmd := exec.Command("git", "apply", m.file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir)) // else it looks for dir in a repository around it
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the patch does not apply any more, write it anew: %w\n%s", err, out)
	}
	for _, file := range m.touched {
		was, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return "", err
		}
		is, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return "", err
		}
		if bytes.Equal(was, is) {
			return "", fmt.Errorf("the patch changes nothing in %s", file)
		}
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%s}}`, strings.Join(replace, ", ")), 0o644)
}
