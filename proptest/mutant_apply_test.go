package proptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMutants takes a few of the patches, and only a run of all of them would tell that the others do not apply any more. That
// they do takes no build.
func TestMutantsApply(t *testing.T) {
	needGit(t)
	list, err := readMutants()
	if err != nil || len(list) == 0 {
		t.Fatalf("no mutants: %v", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if _, err := m.apply(root, t.TempDir()); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// A patch that fits nothing, and one that leaves all as it is, are told from one that does something.
func TestMutantsThatDoNotApply(t *testing.T) {
	needGit(t)
	const header = "what: a breakage\ntest: TestHosts\npromise: 1\n\n--- a/dirlock/x.go\n+++ b/dirlock/x.go\n@@ -1,3 +1,3 @@\n package dirlock\n \n"
	for _, c := range []struct{ name, hunk, want string }{
		{"good", "-const beats = 3\n+const beats = 2\n", ""},
		{"other text there", "-const beats = 4\n+const beats = 2\n", "does not apply any more"},
		{"nothing changed", "-const beats = 3\n+const beats = 3\n", "changes nothing in dirlock/x.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := parseMutant(header + c.hunk)
			if err != nil {
				t.Fatal(err)
			}
			root := t.TempDir()
			m.file = filepath.Join(root, "x.patch")
			write := func(file, text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(m.file, header+c.hunk)
			write(filepath.Join(root, "dirlock/x.go"), "package dirlock\n\nconst beats = 3\n")
			switch _, err := m.apply(root, t.TempDir()); {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want an error that says %q", err, c.want)
			}
		})
	}
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if runtime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}
