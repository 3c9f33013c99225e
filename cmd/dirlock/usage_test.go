package main

import (
	"strings"
	"testing"
)

// What is wrong with a command line is said once, by its name, and nothing is done.
func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		env  string // DIRLOCK_STALE
		want string
	}{
		{[]string{}, "", `"run" or "status"`},
		{[]string{"walk"}, "", `"walk"`},
		{[]string{"--jump"}, "", "--jump"},
		{[]string{"run", "--jump", "P", "--", "true"}, "", "--jump"},
		{[]string{"run"}, "", "PATH is missing"},
		{[]string{"run", "--", "true"}, "", "PATH is missing"},
		{[]string{"run", "", "--", "true"}, "", "PATH is missing"},
		{[]string{"run", "P"}, "", "CMD is missing"},
		{[]string{"run", "P", "--"}, "", "CMD is missing"},
		{[]string{"run", "P", "true"}, "", `"true"`},
		{[]string{"run", "P", "Q", "--", "true"}, "", `"Q"`},
		{[]string{"run", "--wait", "5", "P", "--", "true"}, "", "--wait"},
		{[]string{"run", "--wait", "", "P", "--", "true"}, "", "--wait"},
		{[]string{"run", "--stale", "-1", "P", "--", "true"}, "", "--stale"},
		{[]string{"run", "--stale", "-1s", "P", "--", "true"}, "", "--stale"},
		{[]string{"run", "--stale", "2h", "P", "--", "true"}, "", "--stale"},
		{[]string{"run", "--stale", "2s", "P", "--", "true"}, "", "heartbeat of 1s (the default)"},
		{[]string{"run", "--heartbeat", "5ms", "P", "--", "true"}, "", "--heartbeat"},
		{[]string{"run", "--heartbeat", "1500us", "--stale", "1s", "P", "--", "true"}, "", "heartbeat"},
		{[]string{"run", "--heartbeat", "11ms", "--stale", "1000001us", "P", "--", "true"}, "", "--stale"},
		{[]string{"run", "--note", strings.Repeat("x", longestNote+1), "P", "--", "true"}, "", "--note"},
		{[]string{"run", "P", "--", "true"}, "soon", "DIRLOCK_STALE"},
		{[]string{"run", "P", "--", "true"}, "1s", "DIRLOCK_STALE"},
		{[]string{"status"}, "", "PATH is missing"},
		{[]string{"status", "P", "Q"}, "", `"Q"`},
		{[]string{"status", "--jump", "P"}, "", "--jump"},
		{[]string{"status", "P"}, "soon", "DIRLOCK_STALE"},
		{[]string{"status", "/nonexistent/directory/P"}, "", "/nonexistent"},
	} {
		t.Run(strings.Join(c.args, " ")+c.env, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("DIRLOCK_WAIT", "")
			t.Setenv("DIRLOCK_STALE", c.env)
			t.Setenv("DIRLOCK_HEARTBEAT", "")
			code, out, errs := say(c.args...)
			if code != codeUsage || out != "" {
				t.Errorf("code %d, stdout %q", code, out)
			}
			if !strings.HasPrefix(errs, "dirlock: ") || strings.Count(errs, "\n") != 1 || strings.Count(errs, "dirlock: ") != 1 {
				t.Errorf("said %q, want one line", errs)
			}
			if !strings.Contains(errs, c.want) {
				t.Errorf("said %q, want %q in it", errs, c.want)
			}
		})
	}
}

func TestFlagComesBeforeTheEnvironment(t *testing.T) {
	t.Setenv("DIRLOCK_WAIT", "nonsense")
	t.Setenv("DIRLOCK_STALE", "7s")
	t.Setenv("DIRLOCK_HEARTBEAT", "100ms")
	s := defaults()
	if err := s.wait.Set("-1"); err != nil {
		t.Fatal(err)
	}
	if err := s.complete(); err != nil {
		t.Fatal(err)
	}
	if s.wait.value >= 0 || s.stale.value.String() != "7s" || s.heartbeat.value.String() != "100ms" {
		t.Errorf("wait %v, stale %v, heartbeat %v", s.wait.value, s.stale.value, s.heartbeat.value)
	}
	s = defaults()
	if err := s.complete(); err == nil || !strings.Contains(err.Error(), `"nonsense"`) || !strings.Contains(err.Error(), "DIRLOCK_WAIT") {
		t.Errorf("said %v", err)
	}
}

func TestVersionAndCompletion(t *testing.T) {
	if code, out, errs := say("--version"); code != 0 || !strings.HasPrefix(out, "dirlock version ") || errs != "" {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, errs := say("completion", shell); code != 0 || !strings.Contains(out, "dirlock") || errs != "" {
			t.Errorf("%s: code %d, %d bytes, %q", shell, code, len(out), errs)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"ru"}, "run\t"},
		{[]string{"status", "--j"}, "--json\t"},
		{[]string{"run", ""}, ":16\n"}, // directories
		{[]string{"run", "P", "--", ""}, ":0\n"},
	} {
		if _, out, _ := say(append([]string{"__complete"}, c.args...)...); !strings.Contains(out, c.want) {
			t.Errorf("%q completes to %q, without %q", c.args, out, c.want)
		}
	}
}
