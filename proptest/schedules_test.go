package proptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// Each schedule in testdata once broke a promise, and must not again.
func TestSchedules(t *testing.T) {
	files, err := filepath.Glob("testdata/schedules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schedules: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, err := ParseScript(string(text))
			if err != nil {
				t.Fatal(err)
			}
			if len(script.Actions) == 0 {
				t.Fatal("nothing happens in it")
			}
			synctest.Test(t, func(t *testing.T) {
				w := New(script.Config)
				defer w.Close()
				if err := w.Play(script); err != nil {
					t.Error(err)
				} else if os.Getenv("PROPTEST_TRACE") != "" {
					t.Logf("\n%s", w.Trace())
				}
			})
		})
	}
}
