package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// check parses a command line as the command does, and does nothing.
func check(args []string) error {
	cmd, rest, err := newRoot().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	return err
}

// The commands in the examples for containers are such as this command takes, and ask for a place that others share.
func TestExamplesAreValidCommands(t *testing.T) {
	for _, v := range []string{"DIRLOCK_WAIT", "DIRLOCK_STALE", "DIRLOCK_HEARTBEAT"} {
		t.Setenv(v, "")
	}
	docs := filepath.Join("..", "..", "docs")
	inYAML := regexp.MustCompile(`(?m)^\s*command: (\[.*\])$`)
	for file, want := range map[string]int{"compose.yaml": 2, "kubernetes.yaml": 2} {
		text, err := os.ReadFile(filepath.Join(docs, "examples", file))
		if err != nil {
			t.Fatal(err)
		}
		found := inYAML.FindAllSubmatch(text, -1)
		if n := strings.Count(string(text), "command:"); len(found) != n || n != want {
			t.Errorf("%s: %d of %d commands are on one line each, want %d", file, len(found), n, want)
		}
		for _, m := range found {
			var args []string
			if err := json.Unmarshal(m[1], &args); err != nil {
				t.Fatalf("%s: %s: %v", file, m[1], err)
			}
			if args[0] != "dirlock" || !strings.Contains(string(m[1]), `"--require-shared"`) {
				t.Errorf("%s: %q", file, args)
			}
			if err := check(args[1:]); err != nil {
				t.Errorf("%s: %q: %v", file, args, err)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(docs, "containers.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?m)^    .*?\\bdirlock (run .*)$|`dirlock ((?:run|status) [^`]*[a-z/]+[^`]*)`").FindAllStringSubmatch(string(text), -1)
	if len(lines) < 3 {
		t.Errorf("containers.md: %q", lines)
	}
	for _, m := range lines {
		args := strings.Fields(m[1] + m[2])
		if strings.Join(args, " ") == "run --require-shared" { // names the flag
			continue
		}
		if err := check(args); err != nil {
			t.Errorf("containers.md: %q: %v", args, err)
		}
	}
}

func TestCheckSeesWhatIsWrong(t *testing.T) {
	for _, args := range [][]string{{"run", "--jump", "/p", "--", "x"}, {"run", "/p"}, {"run", "/p", "x"}, {"run", "--wait", "5", "/p", "--", "x"}, {"walk"}, {"status"}} {
		if check(args) == nil {
			t.Errorf("%q is taken for valid", args)
		}
	}
	if err := check([]string{"run", "--wait", "-1", "/p", "--", "x", "-y"}); err != nil {
		t.Error(err)
	}
}
